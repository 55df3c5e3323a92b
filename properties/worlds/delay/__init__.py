"""What is claimed of delayed delivery, and proved."""

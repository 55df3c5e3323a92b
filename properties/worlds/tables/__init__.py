"""What is claimed of copied tables, and proved."""

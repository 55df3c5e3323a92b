"""What the protocol promises, what it needs to keep it, and how that is decided."""

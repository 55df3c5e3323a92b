"""What is claimed of the whole, from put to consumed."""

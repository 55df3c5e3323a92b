"""What a master/slave group guarantees, and what the proofs of that need."""

"""What is claimed of a consumer's progress, and what the proofs of it need."""

"""What is claimed of a consumer's reading and progress, and what the proofs of it need."""

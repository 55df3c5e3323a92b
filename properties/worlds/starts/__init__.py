"""What operators rely on when they start a broker, and its proofs."""

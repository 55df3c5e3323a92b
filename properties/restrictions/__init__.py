"""Which restrictions carry the proofs: every guard and every range relaxed, one at a time."""

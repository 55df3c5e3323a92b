"""The restrictions that proofs depend on: every guard and every range relaxed, one at a time."""

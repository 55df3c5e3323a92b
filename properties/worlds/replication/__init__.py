"""The guarantees of a master/slave group, and the lemmas that their proofs need."""

"""Operators' manual procedures, tried in the reference, and the meaning of answers."""

"""Judges of the judges: bytes, premises, foundations, and mistakes planted in the provers."""

"""Judges of the judges: bytes, premises, foundations, and mistakes planted in what says proved."""

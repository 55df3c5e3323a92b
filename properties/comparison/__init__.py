"""Comparison: what a variant or another release changes, for operators and producers."""

"""Fault sets: the border between those that a guarantee survives and those that break it."""

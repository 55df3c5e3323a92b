"""Releases: which there are, what each changes, and what only its timing differs in."""

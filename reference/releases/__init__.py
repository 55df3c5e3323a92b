"""Releases: their names, what each changes, and which only differ in timing."""

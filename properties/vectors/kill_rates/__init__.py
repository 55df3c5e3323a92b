"""Mistakes on purpose in the rules and functions, and how many of them the vectors notice."""

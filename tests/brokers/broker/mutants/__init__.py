"""Situations in which wire mutants of the own broker show themselves, on the simulated network."""

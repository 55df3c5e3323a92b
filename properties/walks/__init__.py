"""Walks: random ones, and those of Hypothesis, with the premises that they must meet."""

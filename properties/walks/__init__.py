"""Walks, random or drawn by Hypothesis, and the premises that they must meet."""

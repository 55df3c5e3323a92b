"""Kernels in C: the texts, the terms of a structure in them, and how they are compiled."""

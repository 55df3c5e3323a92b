"""Kernels in C: the same rows and states as by numba, sooner."""

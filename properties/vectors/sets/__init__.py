"""The sets of vectors: a module for each subject, which ends in one ``VectorSet``."""

"""Exhaustive search of small instances: on one core, on Spark, as graphs, beside SPIN."""

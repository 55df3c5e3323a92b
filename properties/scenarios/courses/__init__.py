"""Courses after an outage of the master, each proved or refuted whatever happened before it."""

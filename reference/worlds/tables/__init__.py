"""A table that a slave copies from its master, as rules: topics, or subscription groups."""

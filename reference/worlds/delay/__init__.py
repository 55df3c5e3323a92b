"""Delayed delivery in a pair, as rules: what is delivered, and where a new master begins."""

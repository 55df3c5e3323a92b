"""Delayed delivery in a pair, as rules: who has delivered what, and how far a new master begins."""

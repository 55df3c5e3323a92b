"""Judges: five of one cell, all of one rule's mutants, and planted mistakes."""

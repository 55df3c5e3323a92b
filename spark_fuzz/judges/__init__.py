"""Judges: five of one verdict, all of one rule's mutants, and planted mistakes."""

"""Answers: what verbs print of verdicts, for people and for programs."""

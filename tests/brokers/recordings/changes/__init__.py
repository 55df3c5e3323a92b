"""Copies of recordings in which one thing is changed, and which of these may have happened."""

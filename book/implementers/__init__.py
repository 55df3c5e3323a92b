"""Chapters for those who re-implement a broker."""

"""Chapters for implementers of a broker."""

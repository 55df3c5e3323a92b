"""Chapters about the model."""

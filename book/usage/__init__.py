"""Chapters for those who run brokers and consumers."""

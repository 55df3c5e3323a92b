"""Chapters for operators of brokers and consumers."""

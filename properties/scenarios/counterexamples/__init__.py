"""Broken guarantees of stock configurations: the verdict that each page shows, and its length."""

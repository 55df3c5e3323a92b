"""Guarantees that fall in stock configurations: the cell that tells each, and its length."""

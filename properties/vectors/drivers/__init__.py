"""Drivers that answer vectors: a whole one in Python, and beginnings in Java, Go and Rust."""

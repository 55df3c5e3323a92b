"""Recordings of links alone, of which nobody recorded the logs."""

"""Brokers that change their roles in a recording: names by places, and what they keep."""

"""Recordings and their explanations looked at: what was read, and which steps explain an event."""

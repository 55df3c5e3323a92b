"""Scenarios: known issues, procedures, predictions, and where consumers read."""

"""Verdicts: certificates, their renewal and re-check, fault sets, expectations and disputes."""

"""Campaigns: schedules, units, storage, coverage and guidance."""

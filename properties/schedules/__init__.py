"""Schedules: judged, shortened, carried over to related structures, described in sentences."""

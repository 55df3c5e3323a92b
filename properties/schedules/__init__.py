"""Schedules: judged, shortened, carried over to related structures, told in sentences."""

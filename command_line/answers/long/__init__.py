"""The long answer of ``check``: every table, with reasons and schedules, and the same as JSON."""

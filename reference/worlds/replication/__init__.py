"""Replication: a master, its slaves, their logs and connections, and the puts that wait."""

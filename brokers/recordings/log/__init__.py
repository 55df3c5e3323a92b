"""Recordings of a master's log and its slaves, explained in the world of replication."""

"""Both sides of replication, and the puts that wait for it."""

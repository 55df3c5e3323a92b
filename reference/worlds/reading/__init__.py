"""Reading: a queue on two brokers, and the group of consumers that reads it."""

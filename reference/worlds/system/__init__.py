"""One system, from put to consumed: a log on two brokers, its queues, and their readers."""

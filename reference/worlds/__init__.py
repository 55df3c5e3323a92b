"""The worlds: each a state machine with state, rules and structures of its own."""

"""The trace checker: recordings of real brokers, explained by the rules of the reference."""

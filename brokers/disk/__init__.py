"""What brokers left on disk: read without a change, restarted on paper, and compared."""

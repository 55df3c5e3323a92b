"""What brokers wrote to their own logs: read line by line, and told in the model's terms."""

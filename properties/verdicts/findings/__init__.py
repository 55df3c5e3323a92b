"""What real brokers do and the rules leave out, or left out once: which cells that touches."""

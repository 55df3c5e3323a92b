"""What a slave copies from its master in RocketMQ 4.4.0: its tables, step by step."""

"""The name server of RocketMQ 4.4.0: registrations, and the brokers and clients that learn them."""

"""The name server of RocketMQ 4.4.0: who is registered, and who learns of it."""

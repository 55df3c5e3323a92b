"""The read decision of RocketMQ 4.4.0: pure functions over data, with named conditions."""

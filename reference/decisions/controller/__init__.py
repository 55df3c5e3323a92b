"""What the controller of RocketMQ 5.x decides."""

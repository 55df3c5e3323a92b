"""The pure state machine of RocketMQ 4.4.0 master/slave replication."""

ROCKETMQ_VERSION = "4.4.0"
"""The release whose behaviour the model describes; it stands in every output."""

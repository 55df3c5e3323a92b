"""What producers and consumers of RocketMQ 4.4.0 do besides pulling: sends, locks, heartbeats."""

"""Progress of consumers in RocketMQ 4.4.0: tables, the file that keeps them, and the client."""

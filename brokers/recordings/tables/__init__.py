"""What events show of settings, tables, queues and progress of whole brokers."""

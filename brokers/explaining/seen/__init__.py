"""What a recording shows: moments, values, queues and puts."""

"""What ``rmqspec bench`` measures."""

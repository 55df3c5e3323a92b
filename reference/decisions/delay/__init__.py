"""Delayed delivery in RocketMQ 4.4.0: levels, rounds, and what a round does to the store."""

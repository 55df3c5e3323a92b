"""Delayed delivery in RocketMQ 4.4.0: levels, rounds, and a round's effect on the store."""

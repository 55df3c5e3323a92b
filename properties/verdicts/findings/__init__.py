"""Behaviour of real brokers that the rules leave out, or once did, and the verdicts it touches."""

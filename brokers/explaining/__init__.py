"""Recordings explained forwards: each hidden step is taken as soon as it can be.

So far those of links alone (``links``), which is what ``record`` writes in front of real brokers.
"""

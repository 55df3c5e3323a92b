"""The rules of replication under real clocks: what brokers with given settings do, and when.

Rules have no clocks: a step may happen as soon as its conditions hold. Here every step has a time,
from the settings and the release of a group. Whatever such a group does, the rules by which it is
judged must allow: else one of their conditions takes an order of timers for granted that these
settings do not have.
"""

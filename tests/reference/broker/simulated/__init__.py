"""Brokers of our own on a network and a clock that one seed decides: real bytes, no socket.

What they do is recorded at a tap between slave and master and by the brokers themselves, and the
recording has to conform. A schedule kills, stops, cuts, stalls and wipes.
"""

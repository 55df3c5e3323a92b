"""Brokers of our own on a network and a clock that one seed decides: real bytes, no socket.

What they do is recorded at a tap between slave and master and by the brokers themselves, and the
recording has to conform. ``scenarios`` says how much of what befalls them, ``operator`` does it,
``group`` puts all together. On the command line::

    python -m tests.brokers.broker.simulated --seed 7 --events 500 --scenario kills
"""

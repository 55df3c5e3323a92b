"""A broker of our own: the reference behind sockets.

Every decision is a rule of the worlds or a function of the reference; what is here calls them when
bytes arrive or time passes, and keeps the store in real files. Nothing here opens a socket:
``brokers.broker.sockets`` does, and a test does without any.
"""

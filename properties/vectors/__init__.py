"""Questions to a broker's logic with expected answers: vectors that any language can run.

A set is one subject: the log under schedules, reading, progress, copying, registration, the store
in bytes. Its questions are listed here, and its answers computed by the reference.
"""

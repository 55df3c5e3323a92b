"""Any broker held against the model: one end of its replication is played, and all is recorded.

A case is a schedule of what the other end does. What the broker answers becomes a recording, and
the rules have to explain it; what they would also have explained shows what the case excludes.
"""

"""Large campaigns of random failure schedules, and exhaustive search of small instances.

- ``kernel``: from rules to machine code, and the walk of one schedule.
- ``campaign``: many of them on Spark; ``report``: their findings.
- ``search``: every state of small instances.
- ``judges``: several engines on the same question.
"""

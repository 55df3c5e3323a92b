"""Exit codes, the same for every verb."""

ANALYSED = 0
"""Done; with ``--require`` every required guarantee holds; every trace conforms."""
REFUTED = 1
"""A required or certified guarantee is refuted; a trace is rejected; a test fails."""
UNDECIDED = 2
"""A required guarantee is undecided, or proved only vacuously; nothing is decided about a group."""
BAD_INPUT = 3
"""A file, an argument or a flag that cannot be used."""
MISSING_PREREQUISITE = 4
"""Something outside the pinned environment is missing, for example Java."""
INTERNAL_DISAGREEMENT = 70
"""Two engines contradict each other, or something else that is a defect of this project."""
INTERRUPTED = 130
"""Stopped by the user."""

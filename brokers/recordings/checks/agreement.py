"""What the fields of one look at a master say of one another.

A look reads its fields one after another, and a broker goes on meanwhile. So a later field may
show a later state than an earlier one, within the time of the look, and never an earlier state.
"""

from __future__ import annotations

from brokers.recordings.reading import Event

PUSH2, DISTANCE = "push2_slave_max_offset", "slave_fall_behind"


def find_later_end(event: Event) -> int | None:
    """Where the master's log ended when a look had read the highest report; None: it does not tell.

    ``slave_fall_behind`` is the distance from there to that report.
    """
    if PUSH2 not in event.data or DISTANCE not in event.data:
        return None
    return int(event[PUSH2] + event[DISTANCE])

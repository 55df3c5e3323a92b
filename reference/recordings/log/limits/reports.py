"""What a slave may report at all: its log ends where a frame of its connection has ended.

HAClient#dispatchReadRequest appends a frame as a whole, and reports the log's end then (R-HC-10).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

from attrs import field, frozen

from reference.recordings.ahead.plan import Plan
from reference.recordings.reading import Event

Connection: TypeAlias = tuple[str, int]
"""A link by its name, and the number of its connection."""


@frozen
class Reports:
    """The reports of the slaves of one recording."""

    plan: Plan
    shown: Mapping[Connection, Mapping[int, int]] = field(init=False)
    """By connection: each end of the slave's log, with the ``seq`` of the event that shows it."""

    @shown.default
    def _follow(self) -> Mapping[Connection, Mapping[int, int]]:
        size = int(self.plan.parameters.mapped_file_size_bytes)
        found: dict[Connection, dict[int, int]] = defaultdict(dict)
        begun: set[Connection] = set()
        taken: dict[Connection, tuple[int, int]] = {}
        for event in self.plan.recording.events:
            if event.kind == "ha_report" and name_connection(event) not in begun:
                begun.add(name_connection(event))
                found[name_connection(event)][event["slave_offset"]] = event.seq
            if event.kind == "ha_frame":
                connection, begin = name_connection(event), event["master_offset"]
                base, total = taken.get(connection, (begin - begin % size, 0))
                total += event["body_bytes"]
                taken[connection] = base, total
                # A log that ends at 0 takes whatever comes first, there or in its file (R-HC-20).
                for end in (begin + event["body_bytes"], total, base + total):
                    found[connection].setdefault(end, event.seq)
        return found

    def may_be(self, event: Event) -> bool:
        """The first report of a connection tells anything, a later one an end that was shown.

        Or where a file begins, which a heartbeat may have made (R-HC-09).
        """
        offset, size = event["slave_offset"], int(self.plan.parameters.mapped_file_size_bytes)
        since = self.shown[name_connection(event)].get(offset)
        return offset % size == 0 or (since is not None and since <= event.seq)


def name_connection(event: Event) -> Connection:
    """The connection that an event on a link is about."""
    return event["link"], event["conn"]

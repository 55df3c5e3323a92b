"""What a recording tells of a master's sending: since when it has had what it is to send.

``HAConnection.WriteSocketService#run`` looks every 100 ms, and at each new message, whether there
is more in the log; then it sends as much of that as fits into a frame. Where it has sent nothing
for a heartbeat interval, it sends a frame without a body. Only a full socket, a stall or an end
can hold that back. Under a controller it waits for more, so nothing is asked there.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator

from attrs import define, field, frozen

from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS, WITH_HEARTBEATS
from brokers.recordings.log.limits.reports import Reports
from brokers.recordings.reading import Event
from brokers.recordings.settings import read_settings
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED

LOOKS = (*BROKER_KINDS, "broker_status")
"""Kinds of events that show where a log begins."""

HOLDING = ("haFlowControlEnable", "transientStorePoolEnable")
"""With these a master sends less than it has: so much in a second (V-53), or what it has committed
(``MappedFile#getReadPosition``)."""


@define
class KnownEnd:
    """Where the log of one process of a master was at least known to end."""

    times_ms: list[float] = field(factory=list)
    values: list[int] = field(factory=list)
    """The highest end so far."""
    has_unknown_stop: bool = False
    """It has stopped in order, and nobody tells when that began."""

    def learn(self, t_ms: float, end: int) -> None:
        """Seen at a moment that is no earlier than those before."""
        if not self.values or end > self.values[-1]:
            self.times_ms.append(t_ms)
            self.values.append(end)

    def find_end(self, t_ms: float) -> int:
        """The log was so long by then."""
        place = bisect_right(self.times_ms, t_ms)
        return self.values[place - 1] if place else 0

    def find_longer_ms(self, offset: int) -> float:
        """Since when the log was longer than that; infinite if nobody knows."""
        place = bisect_right(self.values, offset)
        return self.times_ms[place] if place < len(self.times_ms) else math.inf


@frozen
class Sending:
    """What the master of one recording has to send, and when."""

    plan: Plan
    reports: Reports
    is_judged: bool = field(init=False)
    """Nothing that the recording does not show holds frames back."""
    are_heartbeats_shown: bool = field(init=False)
    """The recording leaves out no heartbeat."""
    ends: tuple[KnownEnd, ...] = field(init=False)
    """By process of the master."""
    deleted_below: float = field(init=False)
    """No byte below this is in the master's log at some time; infinite where nobody has looked."""

    @is_judged.default
    def _see_settings(self) -> bool:
        settings = read_settings(self.plan.recording.config["nodes"][self.plan.master])
        is_held = any(settings.get(key) == "true" for key in HOLDING)
        is_played = MASTER in self.plan.scripted
        return not (is_held or is_played or self.plan.version.has(CONTROLLED))

    @are_heartbeats_shown.default
    def _see_promise(self) -> bool:
        return self.plan.recording.config.data.get(WITH_HEARTBEATS) is True

    @ends.default
    def _see_ends(self) -> tuple[KnownEnd, ...]:
        return tuple(see_known_ends(self.plan))

    @deleted_below.default
    def _see_deletions(self) -> float:
        found, is_open = 0, False
        for event in self.plan.recording.events:
            if event.data.get("node") != self.plan.master:
                continue
            if event.kind == "delete_expired_files" and event["deleted"]:
                is_open = True
            if event.kind in LOOKS:
                found, is_open = max(found, event["min_offset"]), False
        return math.inf if is_open else found

    def find_request(self, slave: int, connection: int) -> tuple[float, int] | None:
        """When the first report of a connection was forwarded, and what it says."""
        reported = self.reports.find_reports(slave, connection)
        return min(((t_ms, offset) for offset, t_ms in reported.items()), default=None)

    def is_short(self, slave: int, connection: int, process: int, begin: int, size: int) -> bool:
        """A frame has fewer bytes than were there before its connection asked for any.

        ``DefaultMessageStore#getCommitLogData`` gives all that the file has, and the write service
        cuts it at haTransferBatchSize (R-HA-13).
        """
        request = self.find_request(slave, connection)
        if not self.is_judged or request is None:
            return False
        parameters = self.plan.parameters
        file_size = int(parameters.mapped_file_size_bytes)
        end = self.ends[process].find_end(request[0] - JITTER_MS)
        most = min(int(parameters.ha_transfer_batch_size_bytes), file_size - begin % file_size)
        return size < min(most, end - begin)


WRITTEN = ("PUT_OK", "END_OF_FILE")
"""The append_status of what has left bytes in a log: a message, or a blank (R-CL-04)."""


def see_known_ends(plan: Plan) -> Iterator[KnownEnd]:
    """By process of the master: where its log is known to end, by looks, by puts and by frames."""
    found, is_up, is_stop_known = KnownEnd(), False, False
    for event in plan.recording.events:
        is_own = event.data.get("node") == plan.master
        if is_own and event.kind in START_KINDS:
            is_up = True
        end = find_end(event, is_own=is_own)
        if is_up and end is not None:
            found.learn(event.t_ms, end)
        if is_own and event.kind == "node_stop_begin":
            is_stop_known = True
        if is_own and event.kind == "node_stop_clean":
            found.has_unknown_stop = not is_stop_known and "shutdown_ms" not in event.data
        if is_own and event.kind in END_KINDS:
            yield found
            found, is_up, is_stop_known = KnownEnd(), False, False
    yield found


def find_end(event: Event, *, is_own: bool) -> int | None:
    """Where the master's log ends at least, by one event; None where it tells nothing."""
    if event.kind == "ha_frame" and event["body_bytes"]:
        return int(event["master_offset"] + event["body_bytes"])
    if is_own and event.kind in LOOKS:
        return int(event["max_offset"])
    if is_own and event.kind == "put" and event.data.get("append_status") in WRITTEN:
        return int(event["wrote_offset"] + event["wrote_bytes"])
    return None

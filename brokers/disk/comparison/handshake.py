"""What the next handshake of controller mode would do with a pair: epochs are compared, not bytes.

Source: AutoSwitchHAClient#doTruncate and EpochFileCache#findConsistentPoint at 5.3.3.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from attrs import frozen

from brokers.disk.files.checkpoint_files import Epoch
from brokers.disk.stored_brokers import StoredBroker

NO_END = 2**63 - 1
"""The end of a last epoch that begins behind its log's end: it is never set."""


class HandshakeReaction(enum.Enum):
    """What the slave does."""

    FETCHES_ALL = "it has no epochs, and is sent the log from its begin"
    NO_POINT = "it finds no consistent point, and tries again for ever"
    TRUNCATES = "it truncates its log"
    GOES_ON = "it keeps all that it has"
    LIES = "it reports more than it has"


@frozen
class HandshakeOutcome:
    """The outcome of the next handshake."""

    answer: HandshakeReaction
    offset: int = 0
    """The consistent point: what the slave truncates to, and reports."""


def compute_handshake(master: StoredBroker, slave: StoredBroker) -> HandshakeOutcome | None:
    """The outcome; None if the master has no epochs, and so no controller."""
    if not master.epochs.entries:
        return None
    if not slave.epochs.entries:
        return HandshakeOutcome(HandshakeReaction.FETCHES_ALL, master.start.begin_offset)
    end = slave.start.end_offset
    point = find_consistent_point(
        slave.epochs.entries, end, master.epochs.entries, master.start.end_offset
    )
    if point is None:
        return HandshakeOutcome(HandshakeReaction.NO_POINT)
    if point > end:
        return HandshakeOutcome(HandshakeReaction.LIES, point)
    return HandshakeOutcome(
        HandshakeReaction.TRUNCATES if point < end else HandshakeReaction.GOES_ON, point
    )


def list_ends(epochs: Sequence[Epoch], log_end: int) -> dict[int, tuple[int, int]]:
    """By epoch, where it begins and ends."""
    begins = [epoch.begin_offset for epoch in epochs]
    last = log_end if begins and begins[-1] <= log_end else NO_END
    ends = [*begins[1:], last]
    return {e.number: (e.begin_offset, end) for e, end in zip(epochs, ends, strict=True)}


def find_consistent_point(
    ours: Sequence[Epoch], our_end: int, theirs: Sequence[Epoch], their_end: int
) -> int | None:
    """The lower end of the last epoch that begins alike on both; None: there is none."""
    own, other = list_ends(ours, our_end), list_ends(theirs, their_end)
    for number in sorted(own, reverse=True):
        if number in other and other[number][0] == own[number][0]:
            return min(own[number][1], other[number][1])
    return None

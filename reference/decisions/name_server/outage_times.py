"""How long clients go on using a master that is gone (K-45).

Three periods follow one another: the name server notices, the client fetches its route again, and
whatever failed meanwhile is tried again. All of them run without regard to each other.
"""

from __future__ import annotations

from attrs import frozen

from reference.decisions.name_server.broker_side import compute_period_ms
from reference.decisions.name_server.registry import EXPIRY_MS, SCAN_PERIOD_MS
from reference.decisions.reading.client import PULL_TIMEOUT_MS, RETRY_MS

ROUTE_PERIOD_MS = 30_000
"""``pollNameServerInterval``: how often a client fetches its routes (R-CC-04)."""


@frozen
class Span:
    """From the master's end to an event, in milliseconds."""

    least_ms: int
    most_ms: int
    """Neither end need be reached; nothing is outside."""


def compute_unlisted(*, is_channel_closed: bool, register_period_ms: int = 30_000) -> Span:
    """Until the name server lists the master no longer (R-NS-05).

    A dead process closes its channel, and is removed at once. A dead host closes nothing: it is
    expired by the first look that finds it silent for too long, counted from its last
    registration, which came up to a period before the end.
    """
    if is_channel_closed:
        return Span(0, 0)
    return Span(EXPIRY_MS - compute_period_ms(register_period_ms), EXPIRY_MS + SCAN_PERIOD_MS)


def compute_unknown_to_clients(*, is_channel_closed: bool) -> Span:
    """Until a client knows that the name has no master: it fetches its route somewhat later."""
    unlisted = compute_unlisted(is_channel_closed=is_channel_closed)
    return Span(unlisted.least_ms, unlisted.most_ms + ROUTE_PERIOD_MS)


def compute_pulls_elsewhere(*, is_channel_closed: bool) -> Span:
    """Until a consumer pulls from a slave: a pull that failed is tried again after RETRY_MS.

    It fails at once where the channel was closed, else when its own time is up.
    """
    known = compute_unknown_to_clients(is_channel_closed=is_channel_closed)
    failing_ms = 0 if is_channel_closed else PULL_TIMEOUT_MS
    return Span(known.least_ms, known.most_ms + failing_ms + RETRY_MS)

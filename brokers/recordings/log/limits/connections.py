"""The connections that a master counts, as a look at it lists them: in the order of their begin.

A dead one is counted until the master notices. Which of several it has noticed, its list tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brokers.recordings.clock import LATE_MS
from brokers.recordings.hidden.node import Node
from brokers.recordings.log.notes import CountedConnection
from brokers.recordings.reading import Event

UNSET = -1
"""What a connection shows before its first report."""

Shown = Mapping[str, int]
"""What is shown of one connection."""


def match(
    kept: Sequence[CountedConnection], shown: Sequence[Shown], requests: Sequence[int]
) -> list[tuple[CountedConnection, Shown]] | None:
    """Each shown connection with the one it is; None where they cannot be the same.

    The dead ones that are missing were noticed; those that fit go first. ``requests``: by slave,
    what it has asked for on the connection that is alive, which stays so.
    """
    if not kept:
        return None if shown else []
    last, rest = kept[-1], kept[:-1]
    if shown and (fits(last, shown[-1]) if last.known else fits_alive(last, shown[-1], requests)):
        before = match(rest, shown[:-1], requests)
        if before is not None:
            return [*before, (last, shown[-1])]
    return match(rest, shown, requests) if last.known is not None else None


def fits_alive(alive: CountedConnection, shown: Shown, requests: Sequence[int]) -> bool:
    """A connection may be shown so, now or once the slave has asked for something on it."""
    return requests[alive.slave] in (UNSET, shown["slave_request_offset"])


def fits(dead: CountedConnection, shown: Shown) -> bool:
    """A dead connection may be shown so: a little more may have been read or sent since its end."""
    assert dead.known is not None
    request, ack, following = dead.known
    asked = shown["slave_request_offset"]
    is_asked = asked == request or (request < 0 and asked in dead.unread)
    is_read = shown["slave_ack_offset"] in (ack, *dead.unread)
    begin = shown["next_transfer_from"]
    return is_asked and is_read and begin >= following and not asked < 0 <= begin


def list_listed(node: Node, event: Event) -> Sequence[CountedConnection]:
    """Of the connections that a master counts, those that a look at it may list.

    It counts one before it lists it, which takes a moment (``HAConnection``'s constructor,
    ``HAService#addConnection``).
    """
    known: Sequence[CountedConnection] = node.notes.connections
    shown = event.data.get("connections", ())
    unlisted = event.data.get("connection_count", len(shown)) - len(shown)
    if not 0 < unlisted <= len(known):
        return known
    newest = known[-unlisted:]
    is_new = all(n.known is None and event.t_ms - n.opened_ms <= LATE_MS for n in newest)
    return known[:-unlisted] if is_new else known


def list_live(node: Node, event: Event, requests: Sequence[int]) -> Iterator[tuple[int, Shown]]:
    """The slaves behind the shown connections that are alive."""
    shown = event.data.get("connections", ())
    for connection, each in match(list_listed(node, event), shown, requests) or []:
        if connection.known is None:
            yield connection.slave, each

"""Who is the master and who is the slave, life by life.

4.4.0 does not promote slaves itself: an administrator gives a stopped broker another part and
starts it. That is no rule; it is an edit of a state in which both brokers are down.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, frozen

from brokers.recordings.kinds import START_KINDS
from brokers.recordings.reading import Event, Recording
from brokers.recordings.roles.exchange import exchange_logs
from brokers.recordings.roles.places import ENDS
from reference.worlds.reading.state import Broker, Reading, Routes
from reference.worlds.replication.roles import Role
from reference.worlds.system.state import THE_SLAVE, System

SLAVE = Role.SLAVE.name


class OutsideTheSystemError(Exception):
    """The recording is not one of a master with one slave and their queues; says why."""


@frozen
class Period:
    """A time in which both brokers keep their parts."""

    seq: int
    """The first event that counts for it."""
    master: str
    slave: str
    is_sync: bool
    """The master is a SYNC_MASTER."""


@define
class Roles:
    """The parts of two brokers during a recording."""

    periods: Sequence[Period]
    """In their order; the first one from the beginning on."""

    def find(self, event: Event) -> Period:
        """The period that an event counts for."""
        seqs = [period.seq for period in self.periods]
        return self.periods[bisect.bisect_right(seqs, event.seq) - 1]

    def find_turn(self, event: Event) -> Period | None:
        """The period that begins with an event, if the parts have changed by then."""
        return next((each for each in self.periods[1:] if each.seq == event.seq), None)

    def is_master(self, event: Event) -> bool:
        """The event is about the broker that is the master."""
        return event.data.get("node") == self.find(event).master


def find_roles(recording: Recording) -> Roles:
    """The parts of both brokers, by the roles of their starts.

    Raises:
        OutsideTheSystemError: there are not just two, one of them a slave; or both are the same.
    """
    nodes: Mapping[str, Any] = recording.config["nodes"]
    starts = [event for event in recording.events if event.kind in START_KINDS]
    begin = {name: node["role"] for name, node in nodes.items()}
    # A configuration may show the part that a node has in the end.
    begin |= {event["node"]: event["role"] for event in reversed(starts)}
    slaves = [name for name, role in begin.items() if role == SLAVE]
    masters = [name for name in begin if name not in slaves]
    if len(slaves) != 1 or len(masters) != 1:
        raise OutsideTheSystemError(f"it has {len(masters)} masters and {len(slaves)} slaves")
    first = Period(-1, masters[0], slaves[0], begin[masters[0]] == Role.SYNC_MASTER.name)
    roles = Roles(tuple(_list_periods(recording.events, starts, first)))
    kept = ("flush_type", "store_config", "broker_config")
    one, other = (nodes.get(name, {}) for name in (first.master, first.slave))
    if len(roles.periods) > 1 and any(one.get(key) != other.get(key) for key in kept):
        raise OutsideTheSystemError("brokers with different settings change their parts")
    return roles


def _list_periods(
    events: Sequence[Event], starts: Sequence[Event], first: Period
) -> Iterator[Period]:
    period = first
    yield period
    for start in starts:
        is_slave, node = start["role"] == SLAVE, start["node"]
        if is_slave == (node == period.slave):
            continue
        if _list_running(events, start.seq):
            raise OutsideTheSystemError(
                f"{node} changes its part at seq {start.seq} while another broker runs"
            )
        ended = max((e.seq for e in events if e.kind in ENDS and e.seq < start.seq), default=0)
        seq = next(event.seq for event in events if event.seq > ended)
        is_sync = start["role"] == Role.SYNC_MASTER.name
        period = Period(seq, period.slave, period.master, is_sync)
        yield period


def _list_running(events: Sequence[Event], seq: int) -> frozenset[str]:
    """The brokers that run before an event."""
    running: frozenset[str] = frozenset()
    for event in events:
        if event.seq >= seq:
            break
        if event.kind in START_KINDS:
            running |= {event["node"]}
        elif event.kind in ENDS:
            running -= {event["node"]}
    return running


def change_parts(state: System, *, is_sync: bool) -> System:
    """The system with the brokers' parts changed, while both are down.

    What the new master writes is an epoch of its own, since the other broker may have other bytes
    there. Nobody knows any address until the brokers register.
    """
    end = state.cluster.slaves[THE_SLAVE].log.dispatched_offset
    return evolve(
        state,
        ghost_put_offset=end,
        cluster=exchange_logs(state.cluster, THE_SLAVE, is_sync=is_sync),
        reading=_change_reading(state.reading),
    )


def _change_reading(reading: Reading) -> Reading:
    message, (master, slave) = reading.message, reading.brokers
    brokers: tuple[Broker, Broker] = (slave, master)
    changed = evolve(
        message,
        offset=message.slave_offset,
        slave_offset=message.offset,
        is_on_master=message.is_on_slave,
        is_on_slave=message.is_on_master,
    )
    nobody = Routes(*(False,) * 5)
    return evolve(
        reading,
        brokers=brokers,
        message=changed,
        routes=nobody,
        put_below=slave.queue_max,
        lost_below=max(reading.lost_below, master.queue_max),
        copied_below=min(slave.queue_max, master.queue_max),
    )

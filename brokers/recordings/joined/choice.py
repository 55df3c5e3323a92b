"""What is looked at in a recording: two brokers, one queue, one message of it, one group.

The joined system has one queue and follows one message; a recording has many of both.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from attrs import frozen

from brokers.recordings.joined.roles import OutsideTheSystemError, Roles
from brokers.recordings.reading import Event, Recording
from reference.worlds.reading.state import SLAVE
from reference.worlds.reading.structure import ReadingStructure
from reference.worlds.replication.parameters import SIZE_KEYS
from reference.worlds.replication.roles import FlushDiskType, Role
from reference.worlds.replication.structure import Structure
from reference.worlds.system.state import SystemFaults, SystemParameters
from reference.worlds.system.structure import SystemStructure

DELAYED_TOPIC = "SCHEDULE_TOPIC_XXXX"
"""A delayed message lies in this topic, in the queue of its level (R-DL-01)."""

STORED = "PUT_OK"
"""The ``append_status`` of what was written."""

CIRCUMSTANCES_MAX = 64
"""How often each of them may come in one explanation; what is a fault may come as often."""


@frozen
class Choice:
    """What is looked at."""

    master: str
    """The node that is the master at first."""
    slave: str
    """The node that is its slave then."""
    queue: str
    """Topic and queue, for example ``T0-0``."""
    message: int
    """Which message is followed, by its place in the queue."""
    group: str
    """Whose progress is looked at; empty for nobody's."""

    @property
    def key(self) -> tuple[str, str]:
        """Where a table of progress has it: ``topic@group``, then the queue."""
        topic, _, number = self.queue.rpartition("-")
        return f"{topic}@{self.group}", number


def name_queue(event: Event) -> str:
    """The queue that an event is about; for a put, the one that the message comes into."""
    level = event.data.get("delay_level", 0)
    if level and event["topic"] != DELAYED_TOPIC:
        return f"{DELAYED_TOPIC}-{level - 1}"
    return f"{event.data.get('topic')}-{event.data.get('queue')}"


def is_blank(event: Event, roles: Roles) -> bool:
    """A put has filled the master's last file, and found no next one (R-CL-04)."""
    return roles.is_master(event) and event.data.get("append_status") == "END_OF_FILE"


def is_stored(event: Event, roles: Roles) -> bool:
    """A put was appended to the master's log, whatever its answer."""
    if not roles.is_master(event):
        return False
    if event.kind == "put":
        return event.data.get("append_status") == STORED
    return event.kind == "send_message" and event["queue_offset"] is not None


def choose(
    recording: Recording, roles: Roles, queue: str = "", message: int = -1, group: str = ""
) -> Choice:
    """What to look at: what is asked for, else what most events are about.

    The followed message is the one in the middle of those that were put into the queue.

    Raises:
        OutsideTheSystemError: no queue is shown, or puts overlap.
    """
    stored = [event for event in recording.events if is_stored(event, roles)]
    for _, puts in itertools.groupby((e for e in stored if e.kind == "put"), roles.find):
        wrote = [event["wrote_offset"] for event in puts]
        if wrote == sorted(wrote):
            continue
        raise OutsideTheSystemError("its puts are not told in the log's order")
    found = Counter(_list_queues(recording.events))
    if not found:
        raise OutsideTheSystemError("it shows no queue")
    queue = queue or found.most_common(1)[0][0]
    places = [int(event["queue_offset"]) for event in stored if name_queue(event) == queue]
    if message < 0:
        message = places[len(places) // 2] if places else _find_end(recording, queue) // 2
    groups = Counter(_list_groups(recording.events, queue))
    group = group or (groups.most_common(1)[0][0] if groups else "")
    first = roles.periods[0]
    return Choice(first.master, first.slave, queue, message, group)


def _list_queues(events: tuple[Event, ...]) -> Iterator[str]:
    """The queues that are read or written, once for each time."""
    for event in events:
        if event.kind in ("pull_message", "get_message", "put", "send_message") and (
            event.data.get("topic") is not None
        ):
            yield name_queue(event)


def _list_groups(events: tuple[Event, ...], queue: str) -> Iterator[str]:
    """The groups whose progress in a queue is committed, once for each time; or told."""
    topic, _, number = queue.rpartition("-")
    for event in events:
        is_commit = event.kind == "update_consumer_offset" or event.data.get("commit_flag")
        if is_commit and name_queue(event) == queue:
            yield event["group"]
        for key, table in event.data.get("consumer_offsets", {}).items():
            if key.startswith(f"{topic}@") and number in table:
                yield key.partition("@")[2]


def _find_end(recording: Recording, queue: str) -> int:
    ends = [
        event["max_offset"]
        for event in recording.events
        if event.kind in ("get_message", "pull_message") and name_queue(event) == queue
    ]
    return max(ends, default=0)


def make_structure(recording: Recording, choice: Choice, roles: Roles) -> SystemStructure:
    """The structure of the joined system that a recording is about."""
    nodes = recording.config["nodes"]
    master, slave = nodes[choice.master], nodes[choice.slave]
    settings = slave.get("broker_config", {})
    role = Role.SYNC_MASTER if roles.periods[0].is_sync else Role.ASYNC_MASTER
    # Each change of parts begins one more epoch of the master's log.
    lives = Structure().lives + len(roles.periods) - 1
    return SystemStructure(
        Structure(role, FlushDiskType[master["flush_type"]], lives=lives),
        ReadingStructure(
            is_master_open=bool(master.get("broker_config", {}).get("slaveReadEnable", False)),
            is_slave_open=bool(settings.get("slaveReadEnable", False)),
            broker_id=SLAVE if _find_group_id(recording, choice.group) == SLAVE else 0,
            is_offset_checked_in_slave=bool(slave["store_config"].get("offsetCheckInSlave", False)),
            is_from_first=not _begins_at_the_end(recording, choice),
        ),
    )


def _find_group_id(recording: Recording, group: str) -> int:
    for event in recording.events:
        if event.kind == "update_subscription_group" and event["group"] == group:
            return int(event["broker_id"])
    return 0


def _begins_at_the_end(recording: Recording, choice: Choice) -> bool:
    """Nobody tells where a group begins; the tools that commit by themselves begin anywhere."""
    return not any(event.kind == "update_consumer_offset" for event in recording.events) and not (
        any(event.data.get("commit_flag") for event in recording.events)
    )


def make_parameters(recording: Recording, choice: Choice) -> SystemParameters:
    """Sizes as the master is configured; what strikes may do so as often as an event shows it."""
    told: Mapping[str, Any] = recording.config["nodes"][choice.master]["store_config"]
    sizes = {name: int(told[key]) for name, key in SIZE_KEYS.items() if key in told}
    names = [each.name for each in attrs.fields(SystemFaults)]
    return SystemParameters(**sizes, limits=SystemFaults(**dict.fromkeys(names, CIRCUMSTANCES_MAX)))

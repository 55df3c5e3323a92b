"""Progress of consumers whose requests nobody records: what a look shows of it is taken as it is.

That such a consumer was there the broker's own log tells (`ahead.told`). Its progress is somewhere
in its queue; that of every other group is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View
from reference.decisions.progress.offset_table import OffsetTable

GROUP_SEPARATOR = "@"
"""A key of progress is a topic and a group (ConsumerOffsetManager)."""


def is_free(view: View, key: str) -> bool:
    """Progress of a group of which an unrecorded consumer has connected by now."""
    begin = view.plan.logs.consumers.get(key.rpartition(GROUP_SEPARATOR)[2])
    return begin is not None and begin <= view.tables.told_seq


def drop_free(view: View, offsets: OffsetTable | None) -> OffsetTable | None:
    """A table without progress that is free."""
    if offsets is None:
        return None
    return {key: queues for key, queues in offsets.items() if not is_free(view, key)}


def take_free_progress(view: View, event: Event) -> View:
    """Every world with the free progress that an event shows."""
    shown = event.data.get("consumer_offsets")
    if not isinstance(shown, Mapping) or not view.plan.logs.consumers:
        return view
    free = {key: read_queues(view, key, shown[key]) for key in shown if is_free(view, key)}
    name, worlds = event["node"], []
    for world in view.tables.worlds:
        tables = world[name].tables
        offsets = {**(drop_free(view, tables.offsets) or {}), **free}
        node = evolve(world[name], tables=evolve(tables, offsets=offsets))
        worlds.append({**world, name: node})
    return evolve(view, tables=evolve(view.tables, worlds=tuple(worlds)))


def read_queues(view: View, key: str, shown: Any) -> Mapping[int, int]:
    """Progress in each queue; none is beyond the queue's end, as far as that is ever shown."""
    try:
        queues = {int(queue): int(offset) for queue, offset in shown.items()}
    except (AttributeError, TypeError, ValueError) as problem:
        raise Blocked(f"consumer_offsets of {key} cannot be read") from problem
    topic = key.rpartition(GROUP_SEPARATOR)[0]
    for queue, offset in queues.items():
        most = find_end(view, topic, queue)
        if not 0 <= offset <= most:
            raise Blocked(f"progress of {key} in queue {queue} is {offset}, but at most {most}")
    return queues


def find_end(view: View, topic: str, queue: int) -> float:
    """The highest end of a queue that a read of the recording shows; without one any."""
    ends = (
        event["max_offset"]
        for event in view.plan.recording.events
        if event.kind in ("get_message", "pull_message", "queue_ends")
        and (event["topic"], event["queue"]) == (topic, queue)
    )
    return max(ends, default=float("inf"))

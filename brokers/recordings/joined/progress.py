"""What tables of progress and commits ask of a state of the joined system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.joined.asking import (
    OTHER_GROUP,
    Asking,
    ask_for,
    name_end,
    name_leaf,
    note,
)
from brokers.recordings.reading import Event
from brokers.recordings.tables.looks import parse_offset_file
from reference.language.compiled import compute_places
from reference.language.operators import is_same, negate
from reference.worlds.reading.state import MASTER, SLAVE

SEEN = ("reading.routes.is_master_seen", "reading.routes.is_slave_seen")
"""Where the state has whether a consumer knows a broker."""


def list_table_goals(asking: Asking, event: Event, node: Node) -> Iterator[Goal]:
    """What a broker shows of progress, in memory and on disk, and of whom it copies from."""
    broker = asking.find_broker(event)
    key, number = asking.choice.key
    if asking.choice.group:
        found: list[Goal] = []
        for name, leaf in (("consumer_offsets", "progress"), ("file", "progress_on_disk")):
            table = read_file(event) if name == "file" else event.data.get(name)
            if table is not None:
                shown = table.get(key, {}).get(number, -1)
                path = name_leaf(broker, leaf)
                found.append(asking.has_value(f"{leaf} of {event['node']}", path, shown))
        ways = tuple(list_way(asking, event, node, found))
        yield from (evolve(goal, on_the_way=ways) for goal in found)
    if broker == SLAVE and event.kind != "node_started" and "ha_master_address" in event.data:
        is_known = "slave_synchronize_master_addr" in event.data
        text = "the slave knows its master"
        yield asking.has_value(text, "reading.routes.is_master_known", is_known)


def list_way(asking: Asking, event: Event, node: Node, progress: Iterable[Goal]) -> Iterator[Goal]:
    """What leads to progress where nobody saw a put: messages, evenly, and all of them read."""
    places, path = compute_places(asking.structure), name_end(asking, MASTER)
    begin, have = (int(node.state[places[p]]) for p in (path, name_leaf(MASTER, "queue_max")))
    wanted = {goal.wanted: goal for goal in progress if goal.wanted > have}
    seen = SEEN[asking.find_broker(event)]
    end, more = asking.sizes.find_next_end(event), max(wanted, default=have) - have
    if asking.are_puts_seen or not more or end is None or end - begin < more:
        return
    for count in range(1, more + 1):
        shared = begin + (end - begin) * count // more
        if have + count - 1 == asking.choice.message:
            leaf = "cluster.messages.0.end_offset"
            yield asking.has_value("the followed message's end", leaf, shared)
        yield asking.has_value("the log's end", path, shared)
        if have + count in wanted:
            for broker in range(asking.find_broker(event) + 1):
                queue = name_leaf(broker, "queue_max")
                yield asking.has_value("the queue's max_offset", queue, have + count)
            yield asking.has_value("a consumer's route to the broker", seen, True)
            if count < more:
                path_of_memory = name_leaf(asking.find_broker(event), "progress")
                yield asking.has_value("the progress stored", path_of_memory, have + count)
                yield wanted[have + count]


def read_file(event: Event) -> Mapping[str, Any] | None:
    """The table of progress in a broker's file; None where it is not shown."""
    if "consumer_offset_file" in event.data:
        table: Mapping[str, Any] = event["consumer_offset_file"].get("offsetTable", {})
        return table
    raw = event.data.get("consumer_offset_file_raw")
    if raw is None:
        return None
    return parse_offset_file(raw)


def observe_tables(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker shows its tables."""
    goals = tuple(list_table_goals(asking, event, node))
    return ask_for(goals) if goals else Asked(ignored="no progress in this queue is looked at")


def ask_for_commit(
    asking: Asking,
    broker: int,
    offset: int,
    goals: Iterable[Goal] = (),
    after: Callable[[Node], Node] | None = None,
) -> Asked:
    """A broker stores the progress of a consumer, beside other goals."""
    path = name_leaf(broker, "progress")
    return ask_for(
        [*goals, asking.has_value("the progress stored", path, offset)],
        permits={"deliver_stale_commit": 1} if broker == MASTER else {},
        before=note(shown_commit=(path, offset)),
        after=after,
    )


def observe_commit(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker takes a commit."""
    if not asking.is_of_group(event):
        return OTHER_GROUP
    return ask_for_commit(asking, asking.find_broker(event), event["offset"])


def observe_query(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker tells progress: what it has stored, else 0 or nothing (R-CO-05)."""
    if not asking.is_of_group(event):
        return OTHER_GROUP
    broker, shown = asking.find_broker(event), event["offset"]
    leaf = name_leaf(broker, "progress")
    if shown is None:
        return ask_for([asking.has_value("the progress stored", leaf, -1)])
    if shown > 0:
        return ask_for([asking.has_value("the progress told", leaf, shown)])
    text = "the progress told is 0, or none is stored"
    return ask_for([asking.holds(text, has_no_progress, broker)])


def has_no_progress(state: Any, broker: int) -> Any:
    """A broker has stored none, or 0."""
    return state.reading.brokers[broker].progress <= 0


def observe_copy(asking: Asking, event: Event, node: Node) -> Asked:
    """A slave copies its master's tables, if it knows that, and that runs."""
    if not asking.choice.group:
        return OTHER_GROUP
    return ask_for([asking.holds("progress is the master's", is_copied)])


def is_copied(state: Any) -> Any:
    """Both brokers have the same progress in memory, if the master was asked and has any."""
    master, slave = state.reading.brokers
    is_asked = slave.is_up & state.reading.routes.is_master_known & master.is_up
    is_same_number = (master.progress <= slave.progress) & (slave.progress <= master.progress)
    return negate(is_asked & (master.progress >= 0)) | is_same_number


def observe_register(asking: Asking, event: Event, node: Node) -> Asked:
    """A slave registers, and is told where its master is."""
    if asking.find_broker(event) == MASTER:
        return Asked(ignored="a master learns nothing by it")
    return ask_for([asking.holds("the slave knows what is listed", is_told)])


def is_told(state: Any) -> Any:
    """The slave knows its master if and only if the name server lists it."""
    routes = state.reading.routes
    return is_same(routes.is_master_known, routes.is_master_listed)


def observe_persist(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker writes progress to its disk."""
    if not asking.choice.group:
        return OTHER_GROUP
    return ask_for([asking.holds("progress is on disk", is_written, asking.find_broker(event))])


def is_written(state: Any, broker: int) -> Any:
    """A broker has the same progress in memory and on disk."""
    queue = state.reading.brokers[broker]
    return (queue.progress <= queue.progress_on_disk) & (queue.progress_on_disk <= queue.progress)

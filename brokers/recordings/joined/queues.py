"""What a read asks of a state of the joined system: a queue's ends, and the followed message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.joined.asking import (
    OTHER_QUEUE,
    Asking,
    ask_for,
    name_end,
    name_leaf,
    owe,
)
from brokers.recordings.joined.notes import Notes, count_puts
from brokers.recordings.joined.progress import ask_for_commit
from brokers.recordings.joined.sizes import END_AT_READ, is_moved
from brokers.recordings.reading import LARGEST_NUMBER, Event
from reference.worlds.reading.state import MASTER


def list_queue_goals(asking: Asking, broker: int, low: int, high: int) -> Iterator[Goal]:
    """Where a broker's queue begins and ends."""
    yield asking.has_value("the queue's min_offset", name_leaf(broker, "queue_min"), low)
    end = asking.has_value("the queue's max_offset", name_leaf(broker, "queue_max"), high)
    is_lost = (lambda n: count_all(n.notes, broker) < high) if asking.are_puts_seen else None
    yield evolve(end, is_lost=is_lost)


def count_all(notes: Notes, broker: int) -> int:
    """How many messages a queue can have, by those that were put and those that are owed."""
    puts = notes.puts if broker == MASTER else notes.slave_puts
    return count_puts(puts, LARGEST_NUMBER)[1] + sum(o is not False for o in notes.owed)


def observe_read(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker answers a read: its queue's ends, and whether the followed message is found.

    Who reads is a tool that reads anywhere, so nothing is asked of the system's consumer but what
    it commits.
    """
    is_of_queue = asking.choice.queue == "OFFSET_MOVED_EVENT-0"
    after = owe(is_of_queue) if is_moved(event, asking.roles) else None
    if not asking.is_of_queue(event) or event.data.get("min_offset", -1) < 0:
        return evolve(OTHER_QUEUE, after=after)
    broker = asking.find_broker(event)
    goals = [*list_queue_goals(asking, broker, event["min_offset"], event["max_offset"])]
    if END_AT_READ in event.data:
        path = name_end(asking, broker)
        goals.append(asking.has_value("the log's end", path, event[END_AT_READ]))
    if "FOUND" == event.data.get("get_status", event.data.get("status")):
        goals += list_found_goals(asking, event, broker)
    if event.data.get("commit_flag") and broker == MASTER and asking.is_of_group(event):
        return ask_for_commit(asking, broker, event["commit_offset"], goals, after)
    return ask_for(goals, after=after)


def list_found_goals(asking: Asking, event: Event, broker: int) -> Iterator[Goal]:
    """A broker has found messages: its log has some of them, and the followed one if it is there.

    A batch may leave out what has been deleted before its first message.
    """
    begin, end = event["offset"], event["next_begin_offset"]
    who = event["node"]
    text = f"{who} has a message from {begin} to {end}"
    yield asking.holds(text, has_some, broker, numbers=(begin, end))
    if begin <= asking.choice.message < end:
        leaf = "is_on_master" if broker == MASTER else "is_on_slave"
        yield asking.has_value(f"{who} has the followed message", f"reading.message.{leaf}", True)


def has_some(state: Any, broker: int, begin: int, end: int) -> Any:
    """A broker's queue has a message from ``begin`` on and below ``end``."""
    queue = state.reading.brokers[broker]
    return (queue.first_kept < end) & (begin < queue.queue_max)

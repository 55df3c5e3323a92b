"""Reading: its structures, rules, initial state and lanes.

A queue is shown as ``[first..end)`` with a ``.`` before it if entries point to nothing, a ``>``
before the first message in memory, and ``*`` if the followed message is held; after it progress as
memory/disk, ``-`` if there is no entry. A consumer is shown by its next pull, its cache and its
progress; routes by the brokers that the name server lists, those that the consumer sees, and
whether the slave knows its master.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.worlds.reading import brokers, consuming, pulling, queues, rebalancing, routes
from reference.worlds.reading.queues import get_place
from reference.worlds.reading.shape import ReadingShape
from reference.worlds.reading.state import (
    MASTER,
    NO_OFFSET,
    SLAVE,
    Consumer,
    FollowedMessage,
    QueueBroker,
    Reading,
    ReadingParameters,
    Routes,
)

LANE_NAMES = ("consumer", "master", "slave", "name server")
WIDTHS = (44, 44, 44, 44)


def list_lanes(state: Reading) -> tuple[tuple[str, int], ...]:
    """The consumer, both brokers and the name server."""
    return tuple(zip(LANE_NAMES, WIDTHS, strict=True))


def fill_lanes(state: Reading, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step, and its state afterwards."""
    rule = state.structure.rules[step.rule_name]
    name, phrase = tell_step(rule, step, state)
    states = (
        draw_consumer(state),
        draw_broker(state, MASTER),
        draw_broker(state, SLAVE),
        draw_routes(state.routes),
    )
    return fill_one_lane(LANE_NAMES.index(name), phrase, states)


def tell_step(rule: Rule, step: Step, state: Any) -> tuple[str, str]:
    """The lane of a step, and its phrase; for a consumer's query it names the broker too."""
    name = rule.lane or (rule.who if step.index is None else LANE_NAMES[1 + step.index])
    phrase = rule.tell(step.arguments, state)
    is_asking = name == "consumer" and step.index is not None
    return name, f"{phrase} ({LANE_NAMES[1 + (step.index or 0)]})" if is_asking else phrase


def draw_consumer(state: Reading) -> str:
    """Its next pull, its cache, its progress."""
    consumer, message = state.consumer, state.message
    if not consumer.is_running:
        return "down"
    if consumer.corrected >= 0:
        return f"moved to {consumer.corrected}, done {draw_offset(consumer.progress)}"
    if consumer.next_offset < 0:
        return "no queue"
    followed = "*" if message.is_cached else ""
    is_empty = consumer.cache_first < 0
    cached = "" if is_empty else f" has {consumer.cache_first}..{consumer.cache_end - 1}{followed}"
    return f"at {consumer.next_offset}{cached} done {draw_offset(consumer.progress)}"


def draw_broker(state: Reading, number: int) -> str:
    """Its queue, where the followed message is in it, and its progress."""
    node: QueueBroker = state.brokers[number]
    is_held = state.message.is_on_master if number == MASTER else state.message.is_on_slave
    gone = f".{node.first_kept}" if node.queue_min < node.first_kept else ""
    aged = f">{node.first_in_memory}" if node.first_in_memory > node.queue_min else ""
    held = f" *{get_place(state.message, number)}" if is_held else ""
    memory = draw_offset(node.progress) if node.is_up else "down"
    queue = f"[{node.queue_min}{gone}{aged}..{node.queue_max})"
    return f"{queue}{held} {memory}/{draw_offset(node.progress_on_disk)}"


def draw_offset(offset: int) -> str:
    """An offset; ``-`` if there is none."""
    return "-" if offset == NO_OFFSET else str(offset)


def draw_routes(routes: Routes) -> str:
    """The brokers listed, seen and known."""
    listed = _name_brokers(routes.is_master_listed, routes.is_slave_listed)
    seen = _name_brokers(routes.is_master_seen, routes.is_slave_seen)
    known = "M" if routes.is_master_known else "-"
    return f"lists {listed} seen {seen} known {known}"


def _name_brokers(is_master: bool, is_slave: bool) -> str:
    return ("M" if is_master else "-") + ("S" if is_slave else "-")


def list_running(state: Reading) -> tuple[bool, ...]:
    """Whether the node of each lane is running; the name server always is."""
    return (state.consumer.is_running, state.master.is_up, state.slave.is_up, True)


LANES = Lanes(list_lanes, fill_lanes, list_running)


READING_RULES: dict[str, Rule] = collect_rules(
    queues, routes, pulling, consuming, rebalancing, brokers
)
"""Every rule of this world by name, in the order of the book."""


@frozen(cache_hash=True)
class ReadingStructure(ReadingShape):
    """The settings that decide where a consumer reads, and where its group begins."""

    usual_parameters: ClassVar[ReadingParameters] = ReadingParameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules of this world, in every structure."""
        return READING_RULES

    @property
    def index_counts(self) -> Mapping[str, int]:
        """Two brokers."""
        return {"broker": 2}

    def make_initial(self, parameters: ReadingParameters) -> Reading:
        """Both brokers up and known to all, an empty queue, no consumer yet."""
        brokers = (QueueBroker(), QueueBroker())
        return Reading(self, parameters, brokers, Routes(), Consumer(), FollowedMessage())

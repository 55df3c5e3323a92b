"""Queries of progress at recorded brokers, explained by the query rule (R-CO-05)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER, read_number
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES
from brokers.recordings.reading import Event
from brokers.recordings.tables.queues import name_queue
from brokers.recordings.tables.reads import find_running_node, read_store_settings
from brokers.recordings.tables.worlds import World
from brokers.recordings.view import Blocked, View
from reference.decisions.progress.offset_table import (
    QueryAnswer,
    QueryCode,
    QueryConsumerOffsetRequest,
    answer_query,
    name_key,
)
from reference.decisions.reading.settings import compute_memory_bytes

RATIO_LEAST = 0
"""``accessMessageInMemoryMaxRatio`` may be so low: recorders change it without an event of it."""


def check_query(view: View, event: Event) -> View:
    """Only the worlds in which this may be the answer."""
    shown = (event["response_code"], event["response"], event.data.get("offset"))
    answers = [(world, list_answers(view, event, world)) for world in get_worlds(view)]
    worlds = tuple(
        world for world, possible in answers if shown in [describe(each) for each in possible]
    )
    if not worlds:
        known = describe(answers[0][1][0])
        raise Blocked(f"the answer is {shown}, but {known} by the model")
    side = evolve(view.tables, worlds=worlds)
    return evolve(view, tables=side)


def get_worlds(view: View) -> tuple[World, ...]:
    """The possible histories."""
    return view.tables.worlds


def describe(answer: QueryAnswer) -> tuple[int, str, int | None]:
    """The fields of an event that shows this answer."""
    return answer.code.value, QueryCode(answer.code).name, answer.offset


def list_answers(view: View, event: Event, world: World) -> list[QueryAnswer]:
    """What the broker may answer in a world, by what is not shown of its log and memory."""
    node = find_running_node(view, event)
    store = read_store_settings(view, node, {})
    memory = view.reads.get_node(event["node"]).memory
    answers = []
    for distance, low, total, ratio in itertools.product(
        list_distances(view, event, node),
        list_min_offsets(view, event),
        (memory.low_bytes, memory.high_bytes),
        (store.memory_ratio, RATIO_LEAST),
    ):
        query = QueryConsumerOffsetRequest(
            table=world[event["node"]].tables.offsets,
            key=name_key(event["topic"], event["group"]),
            queue=event["queue"],
            queue_min_offset=low,
            first_physical_offset=None if distance is None else 0,
            log_max_offset=distance or 0,
            memory_bytes=compute_memory_bytes(total, ratio),
        )
        answers.append(answer_query(query))
    return answers


def list_min_offsets(view: View, event: Event) -> list[int]:
    """The least offset that the queue may have; unknown queues have 0."""
    ends = view.reads.get_node(event["node"]).queues.get(name_queue(event))
    return [ends[0] if ends else 0]


def list_distances(view: View, event: Event, node: int) -> Iterator[int | None]:
    """How far the queue's first message may lie behind the log's end; None: there is none."""
    name = name_queue(event)
    ends = view.reads.get_node(event["node"]).queues.get(name, (0, 0))
    sent = view.reads.sent.get(name, 0)
    # A later life of the master's log may lack what was sent to an earlier one.
    is_kept = node == MASTER and not view.cluster.master.ghost_life
    has_messages = ends[1] > 0 or (is_kept and sent > 0)
    if not has_messages:
        yield None
    if has_messages or sent > 0:
        config = view.plan.recording.config["nodes"][event["node"]]
        longest = read_number(config["store_config"], "maxMessageSize")
        yield MESSAGE_HEAD_BYTES
        yield max(view.get_log(node).max_offset, view.log.max_offset) + (view.sends * longest)

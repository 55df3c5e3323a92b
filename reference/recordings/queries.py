"""Queries of progress at recorded brokers, explained by the query rule (R-CO-05)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from attrs import evolve

from reference.decisions.progress.offset_table import (
    Query,
    QueryAnswer,
    QueryCode,
    answer_query,
    name_key,
)
from reference.decisions.reading.settings import compute_memory_bytes
from reference.recordings.get_message_events import find_running_node, read_store_settings
from reference.recordings.plan import MASTER, read_number
from reference.recordings.put_order import MESSAGE_HEAD_BYTES
from reference.recordings.queue_tables import name_queue
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation
from reference.recordings.table_worlds import World

RATIO_LEAST = 0
"""``accessMessageInMemoryMaxRatio`` may be so low: recorders change it without an event of it."""


def check_query(explanation: Explanation, event: Event) -> Explanation:
    """Only the worlds in which this may be the answer."""
    shown = (event["response_code"], event["response"], event.data.get("offset"))
    answers = [
        (world, list_answers(explanation, event, world)) for world in get_worlds(explanation)
    ]
    worlds = tuple(
        world for world, possible in answers if shown in [describe(each) for each in possible]
    )
    if not worlds:
        known = describe(answers[0][1][0])
        raise Blocked(f"the answer is {shown}, but {known} by the model")
    side = evolve(explanation.tables, worlds=worlds)
    return evolve(explanation, tables=side).count_check(3)


def get_worlds(explanation: Explanation) -> tuple[World, ...]:
    """The possible histories."""
    return explanation.tables.worlds


def describe(answer: QueryAnswer) -> tuple[int, str, int | None]:
    """The fields of an event that shows this answer."""
    return answer.code.value, QueryCode(answer.code).name, answer.offset


def list_answers(explanation: Explanation, event: Event, world: World) -> list[QueryAnswer]:
    """What the broker may answer in a world, by what is not shown of its log and memory."""
    node = find_running_node(explanation, event)
    store = read_store_settings(explanation, node, {})
    memory = explanation.reads.get_node(event["node"]).memory
    answers = []
    for distance, low, total, ratio in itertools.product(
        list_distances(explanation, event, node),
        list_min_offsets(explanation, event),
        (memory.low_bytes, memory.high_bytes),
        (store.memory_ratio, RATIO_LEAST),
    ):
        query = Query(
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


def list_min_offsets(explanation: Explanation, event: Event) -> list[int]:
    """The least offset that the queue may have; unknown queues have 0."""
    ends = explanation.reads.get_node(event["node"]).queues.get(name_queue(event))
    return [ends[0] if ends else 0]


def list_distances(explanation: Explanation, event: Event, node: int) -> Iterator[int | None]:
    """How far the queue's first message may lie behind the log's end; None: there is none."""
    name = name_queue(event)
    ends = explanation.reads.get_node(event["node"]).queues.get(name, (0, 0))
    sent = explanation.reads.sent.get(name, 0)
    has_messages = ends[1] > 0 or (node == MASTER and sent > 0)
    if not has_messages:
        yield None
    if has_messages or sent > 0:
        config = explanation.plan.recording.config["nodes"][event["node"]]
        longest = read_number(config["store_config"], "maxMessageSize")
        yield MESSAGE_HEAD_BYTES
        yield max(explanation.get_log(node).max_offset, explanation.log.max_offset) + (
            explanation.sends * longest
        )

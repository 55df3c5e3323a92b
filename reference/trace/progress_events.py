"""Consumers' progress as recorded brokers show it.

A master's table is known exactly: it has what was committed. A slave copies whole maps from its
master whenever its timer says so, which no event shows; so what it has is its own, or what the
master has had at some time since the last copy that was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from reference.read.progress import Offsets, Progress, Query, answer_query, commit, name_key
from reference.trace.get_message_events import find_running_node
from reference.trace.plan import MASTER
from reference.trace.queue_tables import get_name
from reference.trace.reading import Event
from reference.trace.state import Blocked, Explanation, check

SUCCESS, QUERY_NOT_FOUND = (0, "SUCCESS"), (22, "QUERY_NOT_FOUND")


def explain_update_offset(explanation: Explanation, event: Event) -> Explanation:
    """Every broker stores what it is told (R-CO-01)."""
    find_running_node(explanation, event)
    response = (event["response_code"], event["response"])
    explanation = check(explanation, "response", SUCCESS, response)
    return store_offset(explanation, event, event["offset"]).count_check()


def store_offset(explanation: Explanation, event: Event, offset: int) -> Explanation:
    """A broker has this progress of a group now."""
    view = explanation.reads.get_node(event["node"])
    key = name_key(event["topic"], event["group"])
    return put_table(explanation, event["node"], commit(view.progress, key, event["queue"], offset))


def put_table(explanation: Explanation, name: str, table: Progress) -> Explanation:
    """A broker has this table now, and each of its maps is one that it has had."""
    view = explanation.reads.get_node(name)
    had = dict(view.progress_had)
    for key, offsets in table.items():
        if offsets != next(reversed(had.get(key, ())), None):
            had[key] = (*had.get(key, ()), offsets)
    reads = explanation.reads.change_node(name, progress=table, progress_had=had)
    return evolve(explanation, reads=reads)


def explain_query_offset(explanation: Explanation, event: Event) -> Explanation:
    """A query is answered from the table; without an entry it depends on the queue (R-CO-05).

    Whether the first message is taken to be in memory is shown by no event: both answers pass.
    """
    node = find_running_node(explanation, event)
    key, queue = name_key(event["topic"], event["group"]), event["queue"]
    low = explanation.reads.get_node(event["node"]).queues.get(f"{event['topic']}-{queue}", (0, 0))[
        0
    ]
    possible = []
    for stored in list_offsets(explanation, node, key, queue):
        for is_in_disk in (False, True):
            answer = answer_query(Query(stored, low, is_in_disk))
            possible.append(
                (*QUERY_NOT_FOUND, None) if answer is None else (*SUCCESS, answer.value)
            )
    shown = (event["response_code"], event["response"], event.data.get("offset"))
    if shown not in possible:
        raise Blocked(f"the answer is {shown}, but {possible[0]} by the commits")
    return explanation.count_check(3)


def list_offsets(explanation: Explanation, node: int, key: str, queue: int) -> list[int | None]:
    """What a broker may have stored for a queue; None for nothing."""
    return [offsets.get(queue) for offsets in list_maps(explanation, node, key)]


def list_maps(explanation: Explanation, node: int, key: str) -> list[Offsets]:
    """The maps of a group that a broker may have: its own, and on a slave those of the master."""
    view = explanation.reads.get_node(get_name(explanation, node))
    own = view.progress.get(key, {})
    if node == MASTER:
        return [own]
    master = explanation.reads.get_node(explanation.plan.master)
    return [own, *master.progress_had.get(key, ())[view.copied.get(key, 0) :]]


def read_table(shown: Mapping[str, Any]) -> Progress:
    """Progress as a table of a recording has it, with queues as texts."""
    try:
        return {
            key: {int(queue): _read_offset(offset) for queue, offset in offsets.items()}
            for key, offsets in shown.items()
        }
    except (AttributeError, TypeError, ValueError) as problem:
        raise Blocked("consumer_offsets is no table of offsets") from problem


def _read_offset(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


def check_progress(explanation: Explanation, node: int, shown: Mapping[str, Any]) -> Explanation:
    """A broker's table: exactly what was committed, or on a slave what it may have copied."""
    table = read_table(shown)
    own = explanation.reads.get_node(get_name(explanation, node)).progress
    for key in {*own, *table}:
        maps = list_maps(explanation, node, key)
        if not is_mixture(table.get(key, {}), maps):
            raise Blocked(f"progress of {key} is {dict(table.get(key, {}))}, but {dict(maps[0])}")
    shown_now = put_table(explanation, get_name(explanation, node), table)
    return remember_copies(shown_now, node, table).count_check(1 + len(table))


def remember_copies(explanation: Explanation, node: int, table: Progress) -> Explanation:
    """A map that is one of the master's was copied then or later: no older one comes after it."""
    name, master = get_name(explanation, node), explanation.reads.get_node(explanation.plan.master)
    copied = dict(explanation.reads.get_node(name).copied)
    for key, offsets in table.items() if node != MASTER else ():
        theirs, since = master.progress_had.get(key, ()), copied.get(key, 0)
        copied[key] = next((n for n in range(since, len(theirs)) if theirs[n] == offsets), since)
    return evolve(explanation, reads=explanation.reads.change_node(name, copied=copied))


def is_mixture(offsets: Offsets, maps: list[Offsets]) -> bool:
    """Each queue is as one of these maps has it, or missing as in one of them."""
    queues = {queue for each in (offsets, *maps) for queue in each}
    return all(offsets.get(queue) in [each.get(queue) for each in maps] for queue in queues)


def load_progress(explanation: Explanation, node: int, shown: Mapping[str, Any]) -> Explanation:
    """A broker starts with what it had saved: every map is one that it had (R-CO-03, R-CO-07).

    A slave may also have saved a copy of its master's that no event has shown.
    """
    table = read_table(shown)
    views = [
        explanation.reads.get_node(name)
        for name in (get_name(explanation, node), explanation.plan.master)
    ]
    for key, offsets in table.items():
        had = [each for view in views for each in view.progress_had.get(key, ())]
        if not is_mixture(offsets, had):
            raise Blocked(f"progress of {key} begins as {dict(offsets)}, which it never was")
    return put_table(explanation, get_name(explanation, node), table)

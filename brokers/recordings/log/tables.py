"""What events show of settings, tables, queues and progress: no step of replication changes these.

Each event is held against what was shown before, and what it shows is kept for those that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve

from brokers.recordings.ahead.order import Observation
from brokers.recordings.checks.puts import check_send
from brokers.recordings.groups import OutsideTheModel
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.log.asking import Asking, see
from brokers.recordings.reading import Event
from brokers.recordings.tables.metadata import CHANGES, check_request, check_running, follow
from brokers.recordings.tables.pulls import check_pull, check_queue_ends
from brokers.recordings.tables.settings import (
    REMEMBERED,
    check_tables,
    check_update_group,
    check_update_topic,
    remember,
)
from brokers.recordings.view import Blocked, View

Explain = Callable[[View, Event], View]
"""Holds an event against what is known, and learns from it; raises Blocked."""

TABLE_EVENTS: Mapping[str, Explain] = {
    "send_message": check_send,
    "pull_message": check_pull,
    "queue_ends": check_queue_ends,
    "set_broker_config": check_running,
    "tables": check_tables,
    "update_subscription_group": check_update_group,
    "update_topic": check_update_topic,
    "update_consumer_offset": check_request,
    "query_consumer_offset": check_running,
    "register_broker": check_running,
    "sync_all": check_running,
    "persist_consumer_offsets": check_running,
}
"""By kind, for those that ask nothing else of replication."""


def hold_against(
    asking: Asking, observation: Observation, explain: Explain, *goals: Goal
) -> Requirements:
    """An event that only looks: goals first, then a check that may learn something."""
    return learn_from(asking, observation, Requirements((lambda _: goals,)), explain)


def observe_table_event(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """An event that is about settings, tables or progress only."""
    return hold_against(asking, observation, TABLE_EVENTS[observation.kind])


def remember_event(asking: Asking, observation: Observation, asked: Requirements) -> Requirements:
    """What an event asks, and what it shows for later ones beside that."""
    kind = observation.event.kind
    if observation.kind != kind or not (kind in REMEMBERED or kind in CHANGES):
        return asked
    return learn_from(asking, observation, asked, lambda v, e: follow(remember(v, e), e))


def learn_from(
    asking: Asking, observation: Observation, asked: Requirements, explain: Explain
) -> Requirements:
    """What an event asks, then a check that learns from it in the state behind it."""
    event, learnt = observation.event, {}

    def finish(node: Node) -> Node:
        return asked.after(node) if asked.after is not None else node

    def learn(node: Node) -> Node:
        if node not in learnt:
            done = finish(node)
            known = explain(asking.view(done, observation), event)
            learnt[node] = see(lambda seen: seen.learn(known))(done)
        return learnt[node]

    def check(node: Node) -> tuple[Goal, ...]:
        try:
            learn(node)
        except (Blocked, OutsideTheModel) as problem:
            return (Goal(str(problem), lambda _: False),)
        return (Goal("", lambda _: True),)

    return evolve(asked, stages=(*asked.stages, check), after=learn)

"""What a broker's answer about itself asks of a state: bounds, for it was some moments under way.

The numbers of GET_BROKER_RUNTIME_INFO are read one after another between the question and the stamp
(DefaultMessageStore#getRuntimeInfo, then AdminBrokerProcessor#prepareRuntimeInfo of 5.3.3). Logs
and dispatches go on meanwhile: at the stamp each has come at least as far as the answer says, and
at the question no farther.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.hidden.node import Goal, Node, Requirements, Stage
from brokers.recordings.log.asking import Asking, agrees, is_fact, see
from brokers.recordings.log.brokers import begins_at, check_running, get_log
from brokers.recordings.log.seen import ShownFacts
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_end
from brokers.recordings.view import BrokerQuestion
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED


def observe_question(asking: Asking, observation: Observation, _: Node) -> Requirements:
    """A broker is asked about itself: from now on it tells no less than it has."""
    event = observation.event
    broker = asking.plan.find_node(event)

    def ask(after: Node) -> Node:
        known = after.notes.seen.get_broker(broker)
        if not known.is_started:
            return after
        log = get_log(asking.guide.machine.decode(after.state), broker)
        question = BrokerQuestion(event.seq, log.max_offset, log.dispatched_offset)
        if asking.plan.are_puts_hidden:  # Where its messages end is a guess until somebody looks.
            ms = known.started_ms, observation.t_ms
            question = BrokerQuestion(event.seq, find_highest_end(asking.plan, broker, *ms), 0)
        return see(partial(note_question, broker=broker, question=question))(after)

    return Requirements(after=ask)


def find_highest_end(plan: Plan, broker: int, from_ms: float, until_ms: float) -> int:
    """The highest end of a broker's log that was seen in this time; 0 for none."""
    is_master = broker == MASTER
    seen = plan.end_observations if is_master else plan.links[broker].slave_observations
    begin, end = bisect_left(seen.times_ms, from_ms), bisect_left(seen.times_ms, until_ms)
    return max(seen.values[begin:end], default=0)


def note_question(seen: ShownFacts, broker: int, question: BrokerQuestion) -> ShownFacts:
    """One question more."""
    questions = (*seen.get_broker(broker).questions, question)
    return seen.change_broker(broker, questions=questions)


def forget_question(seen: ShownFacts, broker: int, seq: int) -> ShownFacts:
    """It is answered."""
    left = tuple(each for each in seen.get_broker(broker).questions if each.seq != seq)
    return seen.change_broker(broker, questions=left)


def observe_status(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker has answered where its log begins and ends, and how far its dispatch is behind.

    Nothing is appended for it beyond that end, unless the log has gone on by the stamp.
    """
    event = observation.event
    broker = asking.plan.find_node(event)
    path, end = name_end(asking.plan, broker), event["max_offset"]
    is_end = asking.has_value(f"max_offset of {event['node']}", path, end)
    stages: tuple[Stage, ...] = (
        asking.later(observation, partial(check_running, broker=broker)),
        lambda _: list_bounds(asking, event, broker),
        lambda n: list_floors(asking, event, broker, n),
    )
    asked = Requirements(stages, after=see(partial(forget_question, broker=broker, seq=event.seq)))
    if asking.guide.get_max(node, broker) > end:
        return asked
    return evolve(asked, stages=(lambda _: (is_end,), *stages), otherwise=lambda: asked)


def list_bounds(asking: Asking, event: Event, broker: int) -> tuple[Goal, ...]:
    """What a state has to have reached."""
    end, begin, who = event["max_offset"], event["min_offset"], event["node"]
    dispatched, marks = end - event["dispatch_behind_bytes"], asking.landmarks
    is_begin = marks.may_begin_at(begin, end)
    at_least = partial(is_at_least, asking, event)
    text = f"the log of {who} may end at {end}"
    return (
        is_fact(text, is_so=marks.may_stand_at(end)),
        at_least(f"the log of {who} reaches {end}", reaches, end),
        begins_at(asking, f"min_offset of {who} is {begin}", broker, begin, is_possible=is_begin),
        at_least(f"the dispatch of {who} has come to {dispatched}", has_come, dispatched),
    )


def is_at_least(
    asking: Asking, event: Event, text: str, make: Callable[..., Any], offset: int
) -> Goal:
    """By the stamp a broker's log, or its dispatch, has come as far as this."""
    broker, may_be = asking.plan.find_node(event), asking.landmarks.may_reach(offset, event.t_ms)
    return asking.holds(text, make, broker, numbers=(offset,), is_possible=may_be)


def reaches(state: Any, broker: int, offset: int) -> Any:
    """A broker's log ends there or behind."""
    return get_log(state, broker).max_offset >= offset


def has_come(state: Any, broker: int, offset: int) -> Any:
    """A broker's dispatch stands there or behind."""
    return get_log(state, broker).dispatched_offset >= offset


def list_floors(asking: Asking, event: Event, broker: int, node: Node) -> tuple[Goal, ...]:
    """No log becomes shorter while its process runs, but for one that a controller truncates.

    Nor does a dispatch go back. Its distance is that to an end which was read after ``max_offset``
    (DefaultMessageStore#dispatchBehindBytes), so the log has come to there by the stamp.
    """
    questions = node.notes.seen.get_broker(broker).questions
    question = next((each for each in questions if each.seq == event.seq), None)
    if question is None or asking.plan.version.has(CONTROLLED):
        return ()
    who, end, behind = event["node"], event["max_offset"], event["dispatch_behind_bytes"]
    before = question.max_offset
    least = question.dispatched_offset + behind
    text = f"max_offset of {who}, which was {before} before, is {end}"
    is_behind = f"the dispatch of {who} is {behind} behind"
    return (
        agrees(text, is_so=end >= before),
        is_at_least(asking, event, is_behind, reaches, least),
    )

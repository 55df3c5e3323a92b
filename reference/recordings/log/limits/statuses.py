"""What a broker's answer about itself asks of a state: bounds, for it was some moments under way.

The numbers of GET_BROKER_RUNTIME_INFO are read one after another between the question and the stamp
(DefaultMessageStore#getRuntimeInfo, then AdminBrokerProcessor#prepareRuntimeInfo of 5.3.3). Logs
and dispatches go on meanwhile: at the stamp each has come at least as far as the answer says, and
the log's end is no lower than it was seen before the question.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from typing import Any

from reference.recordings.ahead.order import Observation
from reference.recordings.ahead.plan import MASTER, Plan
from reference.recordings.clock import JITTER_MS
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.asking import Asking
from reference.recordings.log.brokers import begins_at, check_running, get_log
from reference.recordings.reading import Event
from reference.recordings.view import Blocked, View
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED


def observe_status(asking: Asking, observation: Observation, _: Node) -> Asked:
    """A broker has answered where its log begins and ends, and how far its dispatch is behind."""
    event = observation.event
    broker = asking.plan.find_node(event)
    running = asking.later(
        observation,
        partial(check_running, broker=broker),
        partial(check_not_lower, broker=broker, event=event),
    )
    return Asked((running, lambda _: list_bounds(asking, event, broker)))


def list_bounds(asking: Asking, event: Event, broker: int) -> tuple[Goal, ...]:
    """What a state has to have reached."""
    end, begin, who = event["max_offset"], event["min_offset"], event["node"]
    dispatched = end - event["dispatch_behind_bytes"]
    is_begin = asking.landmarks.may_begin_at(begin, end)
    may_end = asking.landmarks.may_stand_at(end)
    text = f"the log of {who} reaches {end}"
    return (
        asking.holds(text, reaches, broker, numbers=(end,), is_possible=may_end),
        begins_at(asking, f"min_offset of {who} is {begin}", broker, begin, is_possible=is_begin),
        asking.holds(
            f"the dispatch of {who} has come to {dispatched}",
            has_come,
            broker,
            numbers=(dispatched,),
        ),
    )


def reaches(state: Any, broker: int, offset: int) -> Any:
    """A broker's log ends there or behind."""
    return get_log(state, broker).max_offset >= offset


def has_come(state: Any, broker: int, offset: int) -> Any:
    """A broker's dispatch stands there or behind."""
    return get_log(state, broker).dispatched_offset >= offset


def check_not_lower(view: View, broker: int, event: Event) -> View:
    """No log becomes shorter while its process runs, but for one that a controller truncates."""
    if view.plan.version.has(CONTROLLED):
        return view
    begin_ms = event.data.get("t_begin_ms", event.t_ms)
    started_ms = view.get_broker(broker).started_ms
    before = find_highest_end(view.plan, broker, started_ms, begin_ms - JITTER_MS)
    if event["max_offset"] < before:
        text = f"max_offset is {event['max_offset']}, but {before} was seen before the question"
        raise Blocked(text)
    return view


def find_highest_end(plan: Plan, broker: int, from_ms: float, until_ms: float) -> int:
    """The highest end of a broker's log that was seen in this time; 0 for none."""
    is_master = broker == MASTER
    seen = plan.end_observations if is_master else plan.links[broker].slave_observations
    begin, end = bisect_left(seen.times_ms, from_ms), bisect_right(seen.times_ms, until_ms)
    return max(seen.values[begin:end], default=0)

"""The rules of both parts as rules of the whole system.

A rule of the log has its usual effect on the log, and adds what readers observe of it. A rule of
reading is taken over if by it a node reads, stores progress or learns a route. Rules by which
queues change are not taken over: here the log changes them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, maximum, minimum
from reference.language.rule import Argument, Rule, RuleBody, between, when
from reference.worlds.reading.state import Reading
from reference.worlds.replication.state import Cluster
from reference.worlds.system.indexes import has_common_indexes
from reference.worlds.system.seen import ObservedStep, see
from reference.worlds.system.state import (
    THE_SLAVE,
    System,
    get_cluster,
    get_reading,
    put_cluster,
    put_reading,
)


@frozen
class Moment:
    """A step of the log, for the functions that determine what readers observe of it."""

    before: Cluster
    after: Cluster
    put_offset: int
    """How far the furthest queue has reached in the master's log."""
    arguments: Mapping[str, int]
    """The system's own choices beside the rule's arguments."""


Look = Callable[[Moment], Iterable[Callable[[Reading], ObservedStep]]]
"""What readers observe of a step: each makes its step for the state that earlier ones left."""


def see_nothing(_moment: Moment) -> Iterable[Callable[[Reading], ObservedStep]]:
    """Readers observe nothing."""
    return ()


def pass_on(_cluster: Cluster, argument: Argument) -> Argument:
    """An argument unchanged from the rule."""
    return argument


@frozen
class Lifted:
    """What the system adds to a rule of the log."""

    look: Look = see_nothing
    indexes: tuple[str, ...] = ()
    """Indexes of the queue that are left open, each within what the log determines."""
    flags: tuple[str, ...] = ()
    """Other choices, 0 or 1."""
    narrow: Callable[[Cluster, Argument], Argument] = pass_on
    """The range of an argument that the rule requests."""
    settle: Callable[[Cluster, Argument, int], int] = lambda _cluster, _argument, chosen: chosen
    """The final value of an argument, given the one chosen from its range."""
    guard: Callable[[Cluster], Mapping[str, bool]] = field(default=lambda _cluster: {})
    """Further conditions."""
    counts: str = ""
    """The fault that it counts as, if the rule itself counts none."""


def lift_log_rule(rule: Rule, lifted: Lifted, name: str = "") -> Rule:
    """A rule of the log as a rule of the whole system."""

    def act(state: System, *indexes: int) -> RuleBody:
        cluster = get_cluster(state)
        body = rule.function(cluster, *indexes)
        conditions = {**_ask_conditions(body), **lifted.guard(cluster)}
        if lifted.counts:
            conditions["is_counted_within_limit"] = is_within_limit(state, lifted.counts)
        yield when(**conditions)
        after = yield from ask(body, lifted, cluster)
        highest, arguments = state.parameters.ghost_queue_size_max, {}
        for index in lifted.indexes:
            arguments[index] = yield between(index, 0, highest)
        for flag in lifted.flags:
            arguments[flag] = yield between(flag, 0, 1)
        moment = Moment(cluster, after, state.ghost_put_offset, arguments)
        sight = see(lift_limits(state), lifted.look(moment))
        seen, is_environment = sight.reading, sight.is_possible
        changed = put_reading(put_cluster(state, after), seen)
        changed = evolve(changed, ghost_is_environment=state.ghost_is_environment & is_environment)
        if lifted.look is not see_nothing:
            changed = evolve(changed, ghost_put_offset=compute_put_offset(state, after, seen))
        return count_fault(changed, lifted.counts) if lifted.counts else changed

    act.__doc__ = rule.function.__doc__
    return evolve(rule, name=name or rule.name, function=act, says=_tell(rule, lambda s: s.cluster))


def lift_limits(state: System) -> Reading:
    """The readers alone; no modelled end of a queue stops the log."""
    reading = get_reading(state)
    ends = (reading.master.queue_max, reading.slave.queue_max, reading.message.offset)
    notes = (reading.put_below, reading.lost_below, reading.copied_below)
    last = functools.reduce(maximum, (*ends, *notes))
    size = state.parameters.ghost_queue_size_max + maximum(last, 0) + 1
    return evolve(reading, parameters=evolve(reading.parameters, ghost_queue_size_max=size))


def compute_put_offset(state: System, after: Cluster, seen: Reading) -> int:
    """How far the furthest queue has reached in the master's log after a step."""
    shown = after.master.log.dispatched_offset
    is_common = has_common_indexes(after, seen)
    copied = choose(is_common, after.slaves[THE_SLAVE].log.dispatched_offset, 0)
    is_same_life = after.master.ghost_life == state.cluster.master.ghost_life
    kept = maximum(minimum(state.ghost_put_offset, after.master.log.max_offset), shown)
    return choose(is_same_life, maximum(state.ghost_put_offset, shown, copied), kept)


def _ask_conditions(body: RuleBody) -> Mapping[str, bool]:
    conditions: Any = next(body)
    named: Mapping[str, bool] = conditions.named
    return named


def ask(body: RuleBody, lifted: Lifted, cluster: Cluster) -> RuleBody:
    """The rest of a rule, with its arguments chosen from the ranges that the system allows."""
    answer: Any = None
    while True:
        try:
            asked: Any = body.send(answer)
        except StopIteration as finished:
            return finished.value
        argument = lifted.narrow(cluster, asked)
        answer = lifted.settle(cluster, argument, (yield argument))


def lift_reading_rule(rule: Rule, counts: str = "") -> Rule:
    """A rule of reading as a rule of the whole system; ``counts``: the fault that it counts as."""

    def act(state: System, *indexes: int) -> RuleBody:
        body = rule.function(get_reading(state), *indexes)
        conditions = dict(_ask_conditions(body))
        if counts:
            conditions["is_counted_within_limit"] = is_within_limit(state, counts)
        yield when(**conditions)
        changed = put_reading(state, (yield from ask(body, Lifted(), state.cluster)))
        return count_fault(changed, counts) if counts else changed

    act.__doc__ = rule.function.__doc__
    return evolve(rule, function=act, says=_tell(rule, lambda s: s.reading))


def _tell(rule: Rule, get_part: Callable[[Any], Any]) -> Callable[[Mapping[str, int], System], str]:
    def tell(arguments: Mapping[str, int], state: System) -> str:
        part, link = get_part(state), state.cluster.links[0]
        return rule.tell(arguments, part, number=1, link=link)

    return tell

"""The same schedule with other ends of brokers: an orderly stop in place of a kill, or a kill.

What a schedule needs is often that a broker ends, not how. A random search seldom finds both ways;
one is made from the other here. A broker that is stopped starts in another way than one that was
killed, so each start is taken that is possible; a broker that is killed has its progress on disk
only if it has written it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.schedules.related_structures import Schedule
from reference.language.machine import Action, compute_machine, probe
from reference.language.parameters import BaseParameters

MASTER_STARTS = (
    "restart_master",
    "restart_master_without_blank",
    "restart_master_behind_blank",
    "restart_master_with_stale_bytes",
)
SLAVE_STARTS = (
    "restart_slave",
    "restart_slave_beyond_received",
    "restart_slave_with_stale_bytes",
)
"""Each way in which a broker starts, by the names of rules, the plainest first."""


@frozen
class BrokerEnds:
    """How a broker ends and starts, by the names of steps."""

    kill: str
    stop: tuple[str, str]
    """The stop begins, and is finished."""
    persist: str
    """It writes its progress."""
    starts: tuple[str, ...]
    """Each way to start, the plainest first."""


MASTER = BrokerEnds(
    kill="kill_master",
    stop=("begin_master_stop", "finish_master_stop"),
    persist="persist_progress[0]",
    starts=MASTER_STARTS,
)
SLAVE = BrokerEnds(
    kill="kill_slave[0]",
    stop=("begin_slave_stop[0]", "finish_slave_stop[0]"),
    persist="persist_progress[1]",
    starts=tuple(f"{name}[0]" for name in SLAVE_STARTS),
)

Change = Callable[[BrokerEnds], Mapping[str, tuple[str, ...]]]
"""The steps that take the place of a step of this name."""

CHANGES: tuple[Change, ...] = (
    lambda ends: {},
    lambda ends: {ends.kill: ends.stop},
    lambda ends: {ends.stop[0]: (ends.kill,), ends.stop[1]: ()},
    lambda ends: {ends.stop[0]: (ends.persist, ends.kill), ends.stop[1]: ()},
    lambda ends: {ends.stop[0]: (), ends.stop[1]: (ends.persist, ends.kill)},
)
"""What may be done with every end of one broker; the first changes nothing."""


def vary_ends(
    structure: ClaimedStructure, parameters: BaseParameters, known: Iterable[Schedule]
) -> Iterator[Schedule]:
    """Each schedule with the other ends of either broker, or of both, as far as it is possible."""
    told: set[Schedule] = set()
    pairs = [(m(MASTER), s(SLAVE)) for m, s in product(CHANGES, CHANGES)][1:]
    for schedule in tuple(known):
        for master, slave in pairs:
            changed = replace_steps(schedule, {**master, **slave})
            if changed == tuple(schedule):
                continue
            varied = take_possible(structure, parameters, changed)
            if varied not in told:
                told.add(varied)
                yield varied


def replace_steps(schedule: Schedule, changes: Mapping[str, tuple[str, ...]]) -> Schedule:
    """The schedule with these steps in the place of others."""
    return tuple(
        new
        for action in schedule
        for new in (
            (Action(name, {}) for name in changes[action.instance])
            if action.instance in changes
            else (action,)
        )
    )


def take_possible(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Schedule
) -> Schedule:
    """The steps that are possible, starts in the way that is; numbers as near as the ranges allow.

    A step that is impossible is left out.
    """
    machine = compute_machine(structure)
    state, taken = structure.make_initial(parameters), []
    for action in schedule:
        for name in list_ways(action.instance):
            if name not in machine.instances:
                continue
            failed, ranges = probe(machine.instances[name], state)
            if failed:
                continue
            given = {r.name: action.arguments.get(r.name, r.high) for r in ranges}
            step = Action(name, {r.name: min(max(given[r.name], r.low), r.high) for r in ranges})
            outcome = machine.step(state, step)
            if not outcome.is_refused:
                state = outcome.cluster
                taken.append(step)
                break
    return tuple(taken)


def list_ways(name: str) -> tuple[str, ...]:
    """The step itself; for a start, then every other way to start that broker."""
    starts = next((ends.starts for ends in (MASTER, SLAVE) if name in ends.starts), ())
    return (name, *(other for other in starts if other != name))

"""Convergence: the state that a group reaches once faults and puts have stopped.

Two things are proved. *Healing ends*: in any order, only finitely many healing steps are possible
(``z3.ranking``). *The claim holds at rest*: in every state with no possible healing step. Together:
once faults stop, the group gets there. A refuted claim names a state in which a group is stuck: it
is at rest, and the claim does not hold.

*Once faults stop* (quiescence) means: every broker runs; no fault, no stop, no new put, no
retention, and no idle connection is closed. A search's limit on faults does not make a step
impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from properties.language.healing import is_possible
from properties.language.property import convergence
from properties.worlds.replication.guarantees import has_expired
from reference.language.machine import Instance, compute_machine
from reference.language.operators import all_of, any_of, implies, negate
from reference.releases.versions import compute_rules
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.put import is_pending
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.shape import GroupShape
from reference.worlds.replication.state import Cluster, CommitLog


def list_steps(*aims: str) -> tuple[str, ...]:
    """The rules whose ``heals`` is one of these aims."""
    return tuple(name for name, rule in RULES.items() if rule.heals in aims)


REPLICATION_STEPS = list_steps("replication")
"""Steps by which slaves get what their master has."""
CONNECTION_STEPS = list_steps("connection")
"""Steps by which the master stops counting connections that are gone."""
FLUSHES_OF_TOO_FEW_PAGES = ("flush_master_too_few_pages", "flush_slave_too_few_pages")
"""Flushes that are possible only where one that forces bytes is: rest does not depend on them."""
FLUSH_STEPS = tuple(n for n in list_steps("flush") if n not in FLUSHES_OF_TOO_FEW_PAGES)
"""Steps by which bytes reach the disk."""
DISPATCH_STEPS = list_steps("dispatch")
"""Steps by which messages reach the consume queues."""
PUT_STEPS = list_steps("put")
"""Steps by which a put is answered."""
HEALING_STEPS = (
    *REPLICATION_STEPS,
    *CONNECTION_STEPS,
    *FLUSH_STEPS,
    *FLUSHES_OF_TOO_FEW_PAGES,
    *DISPATCH_STEPS,
    *PUT_STEPS,
)
"""The steps that continue once faults stop."""


def get_added_steps(structure: GroupShape) -> tuple[str, ...]:
    """The rules that variants add for a master, a slave or a controller."""
    rules = compute_rules(structure.variants)
    return tuple(n for n, rule in rules.items() if n not in RULES and rule.who != "fault")


def leave_out_unawaited(structure: GroupShape, steps: Iterable[str]) -> tuple[str, ...]:
    """These steps without those that may never be taken, though nothing fails."""
    unawaited = {name for variant in structure.changes for name in variant.unawaited}
    return tuple(name for name in steps if name not in unawaited)


def has_brokers(cluster: Cluster, slaves: tuple[int, ...]) -> bool:
    """The master and these slaves run, and none of them is about to stop."""
    brokers: tuple[Any, ...] = (cluster.master, *(cluster.slaves[i] for i in slaves))
    return all_of(*(b.is_up & negate(b.is_stopping) for b in brokers))


def has_all_brokers(cluster: Cluster) -> bool:
    """Every broker runs, and none is about to stop."""
    return has_brokers(cluster, tuple(range(cluster.structure.slaves)))


def is_of(instance: Instance, slaves: tuple[int, ...]) -> bool:
    """The step is one of the master, or of one of these slaves."""
    of_slave = zip(instance.rule.indexes, instance.indexes, strict=True)
    return all(index in slaves for name, index in of_slave if name == "slave")


@cache
def find_moving(
    structure: GroupShape, steps: tuple[str, ...], slaves: tuple[int, ...]
) -> tuple[Instance, ...]:
    """These steps of the master and of these slaves, with those that variants add.

    A commit comes before every other step; all other additions belong to replication. Those that
    may never be taken are not waited for.
    """
    rules = compute_rules(structure.variants)
    is_added = steps[0] in REPLICATION_STEPS
    added = [n for n in get_added_steps(structure) if is_added or rules[n].heals == "commit"]
    moving = leave_out_unawaited(structure, (*steps, *added))
    instances = compute_machine(structure).instances.values()
    return tuple(i for i in instances if i.rule.name in moving and is_of(i, slaves))


def is_at_rest(cluster: Cluster, steps: tuple[str, ...], slaves: tuple[int, ...]) -> bool:
    """The master and these slaves run, and none of these steps is possible for them."""
    is_running = has_brokers(cluster, slaves)
    if is_running is False:
        return False
    possible = []
    for instance in find_moving(cluster.structure, steps, slaves):
        if (is_this := is_possible(instance, cluster)) is True:
            return False
        possible.append(is_this)
    return is_running & negate(any_of(*possible))


def get_pairs(cluster: Cluster) -> tuple[tuple[int, ...], ...]:
    """Each slave by itself, beside the master; a master without slaves is alone.

    One slave converges without waiting for another, which may be down.
    """
    return tuple((i,) for i in range(cluster.structure.slaves)) or ((),)


def get_everyone(cluster: Cluster) -> tuple[int, ...]:
    """All slaves together."""
    return tuple(range(cluster.structure.slaves))


def get_logs(cluster: Cluster, slaves: tuple[int, ...]) -> tuple[CommitLog, ...]:
    """The commit logs of the master and of these slaves."""
    return (cluster.master.log, *(cluster.slaves[i].log for i in slaves))


def is_replication_at_rest(cluster: Cluster) -> bool:
    """For some slave nothing is in flight; it is connected and is sent nothing more."""
    slaves = ((i,) for i in range(cluster.structure.slaves))
    return any_of(*(is_at_rest(cluster, REPLICATION_STEPS, slave) for slave in slaves))


SETTLING_STEPS = (*REPLICATION_STEPS, *FLUSH_STEPS, *DISPATCH_STEPS)
"""The steps that continue behind the puts."""


def is_dispatch_at_rest(cluster: Cluster) -> bool:
    """Some pair has nothing left to replicate, flush or dispatch."""
    return any_of(*(is_at_rest(cluster, SETTLING_STEPS, pair) for pair in get_pairs(cluster)))


def is_flush_at_rest(cluster: Cluster) -> bool:
    """No broker has anything left to flush."""
    return is_at_rest(cluster, FLUSH_STEPS, get_everyone(cluster))


def are_puts_at_rest(cluster: Cluster) -> bool:
    """No step of a put is possible."""
    return is_at_rest(cluster, PUT_STEPS, get_everyone(cluster))


def claim_at_rest(
    cluster: Cluster,
    steps: tuple[str, ...],
    conclude: Callable[[tuple[int, ...]], bool],
) -> bool:
    """The conclusion holds for every pair that is at rest."""
    return all_of(
        *(negate(is_at_rest(cluster, steps, pair)) | conclude(pair) for pair in get_pairs(cluster))
    )


@convergence(
    why="Operators wait until master and slave have equal offsets before they go on, for example "
    "with a restart. A stuck group never gets there (issues 3349, 3661).",
    premise=is_replication_at_rest,
)
def slaves_reach_the_masters_end(cluster: Cluster) -> bool:
    """Once faults stop, every slave's max offset converges to the master's."""
    end = cluster.master.log.max_offset

    def is_reached(pair: tuple[int, ...]) -> bool:
        return all_of(*(cluster.slaves[i].log.max_offset == end for i in pair))

    return claim_at_rest(cluster, REPLICATION_STEPS, is_reached)


@convergence(
    why="'Will slave always have the same commit log with master eventually?' (alibaba issue 359)",
    premise=is_replication_at_rest,
)
def slaves_come_to_hold_everything(cluster: Cluster) -> bool:
    """Once faults stop, every slave gets each unexpired message that its master holds."""
    log = cluster.master.log

    def is_everything_held(pair: tuple[int, ...]) -> bool:
        return all_of(
            *(
                implies(
                    has_message(log, m) & negate(has_expired(m)),
                    has_message(cluster.slaves[i].log, m),
                )
                for i in pair
                for m in cluster.messages
            )
        )

    return claim_at_rest(cluster, REPLICATION_STEPS, is_everything_held)


@convergence(
    why="Consumers see a message only after it is dispatched. A slave whose dispatch is stuck "
    "never again serves anything new (issues 289 and 6767).",
    premise=is_dispatch_at_rest,
)
def dispatch_reaches_the_end(cluster: Cluster) -> bool:
    """Once faults stop, every broker whose log is as long as the master's dispatches all of it.

    The log of a slave that is stuck behind its master may end with part of a message.
    """
    end = cluster.master.log.max_offset

    def is_dispatched(pair: tuple[int, ...]) -> bool:
        return all_of(
            *(
                (log.dispatched_offset == log.max_offset) | (log.max_offset < end)
                for log in get_logs(cluster, pair)
            )
        )

    return claim_at_rest(cluster, SETTLING_STEPS, is_dispatched)


@convergence(
    why="The next power loss takes whatever was never flushed, however long ago it was put.",
    premise=is_flush_at_rest,
)
def flush_reaches_the_end(cluster: Cluster) -> bool:
    """Once faults stop, every broker's flushed offset reaches the end of its log."""
    logs = get_logs(cluster, get_everyone(cluster))
    is_reached = all_of(*(log.flushed_offset == log.max_offset for log in logs))
    return negate(is_flush_at_rest(cluster)) | is_reached


@convergence(
    why="A producer's thread waits for the answer, and so does every put behind it in the queue.",
    premise=are_puts_at_rest,
)
def puts_are_answered(cluster: Cluster) -> bool:
    """Once faults stop, every put is answered."""
    is_reached = all_of(*(negate(is_pending(m)) for m in cluster.messages))
    return negate(are_puts_at_rest(cluster)) | is_reached

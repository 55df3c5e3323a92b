"""What a recording has shown of brokers and links that no rule asks for, and what it is held to.

No step changes any of it, so a search for hidden steps does not look at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import evolve, frozen

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.view import KNOWN, Blocked, KnownFacts, ShownBroker, ShownLink, View
from reference.language.rule import replace_at

Check: TypeAlias = Callable[[View], View | None]
"""Holds an event against all that is known; raises Blocked where they do not agree."""


@frozen
class Handshake:
    """The halves of a handshake on one connection.

    A slave that reads nothing sends its half again, and is answered as often
    (``AutoSwitchHAClient#handshakeWithMaster``; ``v533_controller_d2`` seq 139 to 153).
    """

    connection: int = 0
    asked: int = 0
    """How many halves of the slave were seen."""
    answered: int = 0
    """How many of the master."""

    def ask(self, connection: int) -> Handshake:
        """With one more half of the slave."""
        known = self if self.connection == connection else Handshake(connection)
        return evolve(known, asked=known.asked + 1)

    def answer(self) -> Handshake:
        """With one more half of the master."""
        return evolve(self, answered=self.answered + 1)


@frozen
class ShownFacts(KnownFacts):
    """What was shown so far."""

    told: frozenset[int] = frozenset()
    """The brokers whose process a controller has told its role."""
    is_master_behind: bool = False
    """The master, told its role at its start, was not seen to have dispatched its log since."""
    answered: frozenset[int] = frozenset()
    """The SyncStateSet that a controller has told last, by ids."""
    asked: frozenset[int] = frozenset()
    """The SyncStateSet that the master has asked for last."""
    handshakes: tuple[Handshake, ...] = ()
    """By slave: what was shown of it on its latest connection."""
    max_seen_ms: float = 0.0
    """When the master's log was seen last."""

    def change_wire(self, slave: int, **changes: Any) -> ShownFacts:
        """With one link changed."""
        wire = evolve(self.wires[slave], **changes)
        return evolve(self, wires=replace_at(self.wires, slave, wire))


def begin_seen(plan: Plan) -> ShownFacts:
    """Nothing was shown yet."""
    count = len(plan.slaves)
    return ShownFacts(
        slaves=(ShownBroker(),) * count,
        wires=(ShownLink(),) * count,
        handshakes=(Handshake(),) * count,
        master_role=plan.recording.config["nodes"][plan.master]["role"],
    )


def make_view(plan: Plan, cluster: Any, node: Node, observation: Observation) -> View:
    """Everything that a check may look at, in one state."""
    notes, seen = node.notes, node.notes.seen
    return View(
        plan=plan,
        cluster=cluster,
        next_put=notes.next_put,
        followed=notes.slots,
        process=notes.process,
        now_ms=observation.event.t_ms,
        displaced=tuple(wire.displaced for wire in notes.wires),
        **{name: getattr(seen, name) for name in KNOWN},
    )


def judge(view: View, check: Check) -> Goal:
    """Met where the check passes; no step helps where it does not."""
    try:
        check(view)
    except Blocked as blocked:
        return Goal(str(blocked), lambda _: False)
    return Goal("", lambda _: True)

"""What was shown beside the state: who runs, what brokers were told, which bytes were seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import evolve, frozen

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.reading import Event
from brokers.recordings.view import KnownFacts, ShownBroker, View

Check: TypeAlias = Callable[[View, Event], View]
"""Holds an event against what is known, and learns from it; raises Blocked."""


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


@frozen
class ControlFacts:
    """What a controller has told, and what brokers have told it or each other."""

    told: frozenset[int] = frozenset()
    """The brokers whose process was told its role."""
    answered: frozenset[int] = frozenset()
    """The SyncStateSet that a controller has told last, by ids."""
    asked: frozenset[int] = frozenset()
    """The SyncStateSet that the master has asked for last."""
    handshakes: tuple[Handshake, ...] = ()
    """By slave: what was shown of it on its latest connection."""


@frozen
class Facts(KnownFacts):
    """What was shown so far."""

    control: ControlFacts = ControlFacts()

    def change_control(self, **changes: Any) -> Facts:
        """With other facts about a controller."""
        return evolve(self, control=evolve(self.control, **changes))

    def end(self, node: int, *, is_left: bool, is_store_closed: bool = False) -> Facts:
        """A broker does not run any more; ``is_left``: its abort file is still there."""
        ended = self.change_broker(
            node, is_started=False, stop_begin_ms=None, is_store_closed=is_store_closed
        )
        left = self.abort_files - {node}
        left = left | {node} if is_left else left
        control = evolve(self.control, told=self.control.told - {node})
        return evolve(ended, abort_files=left, sends=0, control=control)


def begin_facts(plan: Plan) -> Facts:
    """Nothing was shown yet."""
    count = len(plan.slaves)
    return Facts(
        slaves=(ShownBroker(),) * count,
        control=ControlFacts(handshakes=(Handshake(),) * count),
        master_role=plan.recording.config["nodes"][plan.master]["role"],
    )

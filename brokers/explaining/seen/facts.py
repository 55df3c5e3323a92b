"""What was shown beside the state: who runs, what brokers were told, which bytes were seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import evolve, frozen

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.reading import Event
from brokers.recordings.view import KnownFacts, ShownBroker, ShownLink, View

Check: TypeAlias = Callable[[View, Event], View]
"""Holds an event against what is known, and learns from it; raises Blocked."""


@frozen
class Facts(KnownFacts):
    """What was shown so far."""

    def end(self, node: int, *, is_left: bool, is_store_closed: bool = False) -> Facts:
        """A broker does not run any more; ``is_left``: its abort file is still there."""
        ended = self.change_broker(
            node, is_started=False, stop_begin_ms=None, is_store_closed=is_store_closed
        )
        left = self.abort_files - {node}
        return evolve(ended, abort_files=left | {node} if is_left else left, sends=0)


def begin_facts(plan: Plan) -> Facts:
    """Nothing was shown yet."""
    count = len(plan.slaves)
    return Facts(
        slaves=(ShownBroker(),) * count,
        wires=(ShownLink(),) * count,
        master_role=plan.recording.config["nodes"][plan.master]["role"],
    )

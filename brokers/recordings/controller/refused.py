"""Handshakes that have found no consistent point: a connection of which the model has no link.

A slave to which none is found waits for two seconds, leaves and tries again
(``AutoSwitchHAClient#doTruncate``; ``v533_controller_d`` seq 132 to 148). Its master counts the
connection from its begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brokers.recordings.ahead.elections import list_ids
from brokers.recordings.hidden.node import Node
from brokers.recordings.log.guide import LogGuide
from reference.worlds.replication.controller.epochs import compute_consistent_point, get_place

BEFORE_REPORT = "HANDSHAKE"


def find_refused(guide: LogGuide, node: Node) -> tuple[int, ...]:
    """The slaves whose connection is open at its proxy, without a link of the model.

    Both lists agree nowhere, or the master has not answered yet.
    """
    if not guide.has_epoch_files:
        return ()
    wires = node.notes.seen.wires
    closed = [
        slave
        for slave, wire in enumerate(wires)
        if wire.is_open and not guide.get(node, f"links.{slave}.is_open")
    ]
    return tuple(slave for slave in closed if is_without_point(guide, node, slave))


def is_without_point(guide: LogGuide, node: Node, slave: int) -> bool:
    """A slave with a connection has no point up to which it agrees with its master, or not yet."""
    known, wire = node.notes.seen.handshakes[slave], node.notes.seen.wires[slave]
    if known.connection != wire.connection or not known.answered:
        return True
    return bool(compute_consistent_point(guide.machine.decode(node.state), slave) < 0)


def list_agreed(
    guide: LogGuide, node: Node, shown: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The connections that a master shows, without those of such slaves."""
    refused = find_refused(guide, node)
    ids = list_ids(guide.plan.recording.config["nodes"])
    known = {-1, *(ids[get_place(slave)] for slave in refused)}
    begun = [
        place
        for place, each in enumerate(shown)
        if each.get("state") == BEFORE_REPORT and each.get("slave_id") in known
    ]
    left_out = begun[: len(refused)]
    return [each for place, each in enumerate(shown) if place not in left_out]

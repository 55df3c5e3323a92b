"""Handshakes that find no consistent point: a connection is open, of which the model has no link.

The slave waits for two seconds, leaves and tries again (``AutoSwitchHAClient#doTruncate``;
``v533_controller_d`` seq 132 to 148). Until then its master counts the connection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reference.recordings.ahead.elections import list_ids
from reference.recordings.hidden.node import Node
from reference.recordings.log.guide import LogGuide
from reference.worlds.replication.controller.epochs import compute_consistent_point, get_place

BEFORE_REPORT = "HANDSHAKE"


def find_refused(guide: LogGuide, node: Node) -> tuple[int, ...]:
    """The slaves whose connection is open at its proxy, though both lists agree nowhere."""
    if not guide.has_epoch_files:
        return ()
    wires = node.notes.seen.wires
    closed = [
        n for n, w in enumerate(wires) if w.is_open and not guide.get(node, f"links.{n}.is_open")
    ]
    if not closed:
        return ()
    cluster = guide.machine.decode(node.state)
    return tuple(slave for slave in closed if compute_consistent_point(cluster, slave) < 0)


def list_agreed(
    guide: LogGuide, node: Node, shown: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The connections that a master shows, without those of such slaves."""
    refused = find_refused(guide, node)
    ids = list_ids(guide.plan.recording.config["nodes"])
    strangers = {-1, *(ids[get_place(slave)] for slave in refused)} if refused else set()
    return [
        each
        for each in shown
        if each.get("slave_id") not in strangers or each.get("state") != BEFORE_REPORT
    ]

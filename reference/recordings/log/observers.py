"""Which observer asks what a kind of observation asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from reference.recordings.handlers import PUT_BEGIN
from reference.recordings.hidden.node import Asked, Node
from reference.recordings.log.asking import Asking
from reference.recordings.log.brokers import (
    observe_kill,
    observe_snapshot,
    observe_start,
    observe_stop,
    observe_stop_begin,
    observe_wipe,
)
from reference.recordings.log.links import (
    observe_frame,
    observe_link_close,
    observe_link_open,
    observe_report,
    observe_stall,
)
from reference.recordings.log.puts import observe_put, observe_put_begin
from reference.recordings.order import Observation

Observe: TypeAlias = Callable[[Asking, Observation, Node], Asked]

OBSERVERS: Mapping[str, Observe] = {
    PUT_BEGIN: observe_put_begin,
    "put": observe_put,
    "snapshot": observe_snapshot,
    "node_started": observe_start,
    "node_kill9": observe_kill,
    "node_stop_begin": observe_stop_begin,
    "node_stop_clean": observe_stop,
    "store_wiped": observe_wipe,
    "ha_link_open": observe_link_open,
    "ha_report": observe_report,
    "ha_frame": observe_frame,
    "ha_link_close": observe_link_close,
    "link_cut": observe_link_close,
    "link_cut_mid_frame": observe_link_close,
    "link_stalled": observe_stall,
    "link_healed": observe_stall,
}
"""By kind of observation."""


def ask(asking: Asking, observation: Observation, node: Node) -> Asked:
    """What an observation asks in a state."""
    observe = OBSERVERS.get(observation.kind)
    if observe is None:
        return Asked(ignored="not looked at")
    return observe(asking, observation, node)

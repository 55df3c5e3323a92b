"""Which observer asks what a kind of observation asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import evolve

from brokers.recordings.ahead.order import PUT_BEGIN, STATUS_BEGIN, Observation
from brokers.recordings.controller.observers import (
    observe_handshake,
    observe_request,
    observe_set,
    observe_to_master,
    observe_to_slave,
)
from brokers.recordings.controller.truncation import finish_truncations, put_truncations_before
from brokers.recordings.groups import OutsideTheModel
from brokers.recordings.hidden.node import Node, Requirements
from brokers.recordings.log.asking import Asking, ask_for, is_impossible
from brokers.recordings.log.brokers import observe_snapshot
from brokers.recordings.log.contents import (
    observe_address,
    observe_checksums,
    observe_comparison,
    observe_expiry,
    observe_read,
    observe_scan,
    observe_set_config,
)
from brokers.recordings.log.limits.silence import ask_about_silence
from brokers.recordings.log.limits.statuses import observe_question, observe_status
from brokers.recordings.log.links import (
    observe_frame,
    observe_link_close,
    observe_link_open,
    observe_report,
    observe_stall,
    observe_target_down,
)
from brokers.recordings.log.lives import (
    observe_exit,
    observe_kill,
    observe_start,
    observe_stop,
    observe_stop_begin,
    observe_surgery,
    observe_wipe,
)
from brokers.recordings.log.puts import observe_put, observe_put_begin
from brokers.recordings.log.tables import TABLE_EVENTS, observe_table_event, remember_event

Observe: TypeAlias = Callable[[Asking, Observation, Node], Requirements]

OBSERVERS: Mapping[str, Observe] = {
    PUT_BEGIN: observe_put_begin,
    STATUS_BEGIN: observe_question,
    "put": observe_put,
    "snapshot": observe_snapshot,
    "broker_status": observe_status,
    "node_started": observe_start,
    "process_started": observe_start,
    "node_kill9": observe_kill,
    "node_stop_begin": observe_stop_begin,
    "node_stop_clean": observe_stop,
    "process_exit": observe_exit,
    "store_surgery": observe_surgery,
    "store_wiped": observe_wipe,
    "ha_link_open": observe_link_open,
    "ha_report": observe_report,
    "ha_frame": observe_frame,
    "ha_link_close": observe_link_close,
    "link_cut": observe_link_close,
    "link_cut_mid_frame": observe_link_close,
    "link_stalled": observe_stall,
    "link_healed": observe_stall,
    "proxy_target_down": observe_target_down,
    "to_master": observe_to_master,
    "to_slave": observe_to_slave,
    "set_sss": observe_set,
    "sss_listener": observe_request,
    "shrink": observe_request,
    "ha_handshake_slave": observe_handshake,
    "ha_handshake_master": observe_handshake,
    "log_crc": observe_checksums,
    "log_scan": observe_scan,
    "divergence_check": observe_comparison,
    "get_message": observe_read,
    "set_config": observe_set_config,
    "update_ha_master_address": observe_address,
    "ha_master_address": observe_address,
    "delete_expired_files": observe_expiry,
    "broker_started": observe_start,
    **dict.fromkeys(TABLE_EVENTS, observe_table_event),
}
"""By kind of observation."""


def ask(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """What an observation asks in a state; of an unknown broker the impossible."""
    observe = OBSERVERS.get(observation.kind)
    if observe is None:
        return Requirements(ignored="not looked at")
    ready = finish_truncations(asking, observation.event, node)
    try:
        asked = observe(asking, observation, ready)
    except OutsideTheModel as problem:
        return ask_for(is_impossible(str(problem)))
    if ready is not node:
        asked = put_truncations_before(asking, observation.event, asked)
    return complete(asking, observation, asked)


def complete(asking: Asking, observation: Observation, asked: Requirements) -> Requirements:
    """What any event asks besides, and shows for later ones."""
    other = asked.otherwise
    if other is not None:
        asked = evolve(asked, otherwise=lambda: complete(asking, observation, other()))
    asked = ask_about_silence(asking, observation, asked)
    return remember_event(asking, observation, asked)

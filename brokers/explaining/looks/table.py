"""What each kind of event shows beside values of the state."""

from __future__ import annotations

from collections.abc import Mapping

from brokers.explaining.controlled import looks as controlled
from brokers.explaining.looks import links, processes, puts
from brokers.explaining.observing import Look
from brokers.recordings.kinds import START_KINDS

LOOKS: Mapping[str, Look] = {
    "call": puts.see_call,
    "put": puts.see_answer,
    "ha_link_open": links.see_connect,
    "ha_link_close": links.see_close,
    "link_cut": links.see_close,
    "link_cut_mid_frame": links.see_close,
    "ha_report": links.see_report,
    "ha_frame": links.see_frame,
    "proxy_target_down": links.see_refusal,
    "link_stalled": links.see_stall,
    "link_healed": links.see_heal,
    "node_kill9": processes.see_kill,
    "node_stop_begin": processes.see_stop_begin,
    "node_stop_clean": processes.see_stop,
    "process_exit": processes.see_exit,
    "store_surgery": processes.see_surgery,
    "store_wiped": processes.see_wipe,
    "delete_expired_files": processes.see_deletion,
    "to_master": controlled.see_to_master,
    "to_slave": controlled.see_to_slave,
    "set_sss": controlled.see_set,
    "sss_listener": controlled.see_request,
    "shrink": controlled.see_request,
    "ha_handshake_slave": controlled.see_slave_half,
    "ha_handshake_master": controlled.see_master_half,
    "set_config": processes.see_settings,
    "update_ha_master_address": processes.see_address,
    "ha_master_address": processes.see_address,
    **dict.fromkeys(START_KINDS, processes.see_start),
}
"""What each kind of moment shows beside values of the state."""

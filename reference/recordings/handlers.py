"""How each kind of event is explained: one small function per kind, registered by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import evolve

from reference.recordings.broker_events import explain_snapshot, explain_start
from reference.recordings.config_events import explain_address, explain_set_config
from reference.recordings.content_events import explain_checksums, explain_comparison, explain_scan
from reference.recordings.get_message_events import explain_get_message
from reference.recordings.groups import OutsideTheModel
from reference.recordings.hidden_steps import catch_up
from reference.recordings.lifecycle_events import (
    explain_expiry,
    explain_kill,
    explain_process_exit,
    explain_stop_begin,
    explain_stop_clean,
    explain_surgery,
    explain_wipe,
)
from reference.recordings.link_events import (
    explain_close,
    explain_cut,
    explain_frame,
    explain_heal,
    explain_open,
    explain_report,
    explain_stall,
    explain_target_down,
)
from reference.recordings.metadata_events import explain_request, explain_running, follow
from reference.recordings.pull_events import explain_pull
from reference.recordings.put_events import begin_put, explain_put, explain_send
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation
from reference.recordings.table_events import (
    explain_set_broker_config,
    explain_tables,
    explain_update_group,
    explain_update_topic,
    remember,
)

Handler: TypeAlias = Callable[[Explanation, Event], Explanation]
"""Explains one event; raises Blocked when that is not possible."""

PUT_BEGIN = "put_begin"
"""The first half of a ``put`` line: what its producer saw before the call."""

HANDLERS: Mapping[str, Handler] = {
    "node_started": explain_start,
    "broker_started": explain_start,
    "snapshot": explain_snapshot,
    PUT_BEGIN: begin_put,
    "put": explain_put,
    "send_message": explain_send,
    "ha_link_open": explain_open,
    "ha_link_close": explain_close,
    "ha_report": explain_report,
    "ha_frame": explain_frame,
    "link_stalled": explain_stall,
    "link_healed": explain_heal,
    "link_cut": explain_cut,
    "link_cut_mid_frame": explain_cut,
    "proxy_target_down": explain_target_down,
    "node_stop_begin": explain_stop_begin,
    "node_stop_clean": explain_stop_clean,
    "process_exit": explain_process_exit,
    "node_kill9": explain_kill,
    "store_surgery": explain_surgery,
    "store_wiped": explain_wipe,
    "delete_expired_files": explain_expiry,
    "set_config": explain_set_config,
    "update_ha_master_address": explain_address,
    "ha_master_address": explain_address,
    "log_crc": explain_checksums,
    "log_scan": explain_scan,
    "divergence_check": explain_comparison,
    "get_message": explain_get_message,
    "pull_message": explain_pull,
    "set_broker_config": explain_set_broker_config,
    "tables": explain_tables,
    "update_subscription_group": explain_update_group,
    "update_topic": explain_update_topic,
    "update_consumer_offset": explain_request,
    "query_consumer_offset": explain_running,
    "register_broker": explain_running,
    "sync_all": explain_running,
    "persist_consumer_offsets": explain_running,
}
"""The handler of every kind of event that the model explains."""


def explain(explanation: Explanation, kind: str, t_ms: float, event: Event) -> Explanation:
    """The least explanation with one more event; raises Blocked when there is none."""
    is_at_master = event.data.get("node") == explanation.plan.master
    explanation = catch_up(evolve(explanation, now_ms=t_ms, is_at_master=is_at_master))
    try:
        explained = HANDLERS[kind](explanation, event)
        return follow(remember(explained, event), event) if kind == event.kind else explained
    except OutsideTheModel as problem:
        raise Blocked(str(problem)) from problem

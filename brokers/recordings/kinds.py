"""Which kinds of events a recording may hold, and which fields each must carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Fields: TypeAlias = Mapping[str, str]
"""Required field by name: what it must be, one of the names of CHECKS."""

CHECKS: Mapping[str, str] = {
    "number": "a whole number",
    "count": "a whole number, 0 or more",
    "checksum": "hexadecimal digits",
    "time": "a number of milliseconds",
    "flag": "true or false",
    "text": "a text",
    "list": "a list of objects",
    "object": "an object",
    "texts": "a list of texts",
    "numbers": "a list of whole numbers",
    "rows": "a list of lists of two whole numbers or more",
    "any": "anything",
}
"""What a field may have to be, in words."""

WITH_HEARTBEATS = "with_heartbeats"
"""A field of the first line: links have a line for each heartbeat, too."""

COMMON_FIELDS: Fields = {"seq": "number", "t_ms": "time", "ev": "text"}

LATE = "late_ms"
"""A field of a line that came too late to be put in order: its stamp was moved by so much."""

OPTIONAL_COMMON_FIELDS: Fields = {LATE: "time", "conn": "number"}
"""What a line of any kind may carry."""

_NODE: Fields = {"node": "text"}
_LINK: Fields = {"link": "text"}
_CONNECTION: Fields = {"link": "text", "conn": "number"}
_LOG: Fields = {
    **_NODE,
    **dict.fromkeys(
        ("max_offset", "flushed_offset", "min_offset", "mapped_files", "dispatched_offset"),
        "number",
    ),
}

_HANDSHAKE: Fields = {"link": "text", "conn": "number"}

CONTROLLER_KINDS: Mapping[str, Fields] = {
    "to_master": {**_LOG, "epochs": "rows", "sync_state_set": "numbers"},
    "to_slave": {**_LOG, "epochs": "rows"},
    "set_sss": {**_LOG, "sync_state_set": "numbers"},
    "sss_listener": {**_NODE, "set": "numbers"},
    "shrink": {**_NODE, "set": "numbers"},
    "ha_handshake_slave": {**_HANDSHAKE, "slave_id": "number"},
    "ha_handshake_master": {**_HANDSHAKE, "master_max_offset": "number", "epochs": "rows"},
}
"""Events of controller mode. In a file they may also be notes: ``ev`` is ``note`` then, ``what``
the kind, and ``at`` the node."""

_READ: Fields = {
    **_NODE,
    "topic": "text",
    **dict.fromkeys(
        ("queue", "offset", "max_msgs", "next_begin_offset", "min_offset", "max_offset"), "number"
    ),
}

_PROGRESS: Fields = {
    **_NODE,
    "group": "text",
    "topic": "text",
    "queue": "number",
    "response_code": "number",
    "response": "text",
}

EXPLAINED_KINDS: Mapping[str, Fields] = {
    "node_started": {**_LOG, "role": "text", "last_exit_normal": "flag"},
    "broker_started": {**_LOG, "role": "text", "last_exit_normal": "flag"},
    "process_started": {**_NODE, "role": "text"},
    "snapshot": _LOG,
    "broker_status": {
        **_NODE,
        **dict.fromkeys(("max_offset", "min_offset", "dispatch_behind_bytes"), "number"),
    },
    "put": {
        **_NODE,
        "put_status": "text",
        "wait_store_ok": "flag",
        "topic": "text",
        "queue": "number",
        "body_bytes": "count",
        "t_begin_ms": "time",
        "duration_ms": "time",
    },
    "send_message": {
        **_NODE,
        "topic": "text",
        "queue": "number",
        "wait_store_ok": "flag",
        "response_code": "number",
        "response": "text",
    },
    "ha_link_open": _CONNECTION,
    "ha_link_close": {**_CONNECTION, "closed_by": "text"},
    "ha_report": {**_CONNECTION, "slave_offset": "number"},
    "ha_frame": {**_CONNECTION, "master_offset": "number", "body_bytes": "count"},
    **CONTROLLER_KINDS,
    "link_stalled": {**_LINK, "slave_to_master": "flag", "master_to_slave": "flag"},
    "link_healed": _LINK,
    "link_cut": _LINK,
    "link_cut_mid_frame": _LINK,
    "proxy_target_down": _LINK,
    "node_stop_begin": _NODE,
    "node_stop_clean": _NODE,
    "process_exit": _NODE,
    "node_kill9": _NODE,
    "store_surgery": {**_NODE, "lost_from_offset": "number"},
    "store_wiped": _NODE,
    "delete_expired_files": {**_NODE, "deleted": "number"},
    "set_config": {**_NODE, "props": "object"},
    "update_ha_master_address": _NODE,
    "ha_master_address": _NODE,
    "log_crc": {**_NODE, "files": "list"},
    "log_scan": {**_NODE, "entries": "list"},
    "divergence_check": {
        "lost_from_offset": "number",
        "compared_to_offset": "number",
        "common_prefix_equal": "flag",
        "range_after_equal": "flag",
    },
    "get_message": {
        **_READ,
        "status": "text",
        "count": "count",
        "bytes": "count",
        "suggest_pulling_from_slave": "flag",
        "max_offset_py": "number",
        "memory_threshold_bytes": "count",
    },
    "pull_message": {
        **_READ,
        "group": "text",
        "commit_flag": "flag",
        "suspend_flag": "flag",
        "get_status": "text",
        "response_code": "number",
        "response": "text",
        "body_bytes": "count",
    },
    "queue_ends": {
        **_NODE,
        "topic": "text",
        **dict.fromkeys(("queue", "min_offset", "max_offset"), "number"),
    },
    "set_broker_config": {**_NODE, "props": "object"},
    "tables": {
        **_NODE,
        "topics": "texts",
        "subscription_groups": "object",
        "consumer_offsets": "object",
    },
    "update_consumer_offset": {**_PROGRESS, "offset": "number"},
    "query_consumer_offset": _PROGRESS,
    "update_subscription_group": {
        **_NODE,
        "group": "text",
        "broker_id": "number",
        "which_broker_when_consume_slowly": "number",
        "response_code": "number",
    },
    "update_topic": {**_NODE, "topic": "text", "queues": "count", "response_code": "number"},
    "register_broker": _NODE,
    "sync_all": _NODE,
    "persist_consumer_offsets": _NODE,
}
"""Events that the model's rules have to explain, and the fields that each must carry."""

IGNORED_KINDS = frozenset(
    {
        "log",
        "note",
        "namesrv_started",
    }
)
"""Remarks, which the model does not have."""

BROKER_KINDS = frozenset({"node_started", "broker_started", "snapshot"})
"""Events that show a whole broker, with more fields by its role."""

START_KINDS = frozenset({"node_started", "broker_started", "process_started"})
"""Events that tell of a broker's start."""

TOLD_KINDS = frozenset({"to_master", "to_slave"})
"""Events that tell that a controller has told a broker its role."""

END_KINDS = frozenset({"node_kill9", "process_exit"})
"""Events that tell of a process's end."""

STOP_KINDS = END_KINDS | {"node_stop_clean"}
"""Events that tell that a broker does not run any more; its process may live on."""

MASTER_FIELDS: Fields = {
    "push2_slave_max_offset": "number",
    "connection_count": "number",
    "slave_fall_behind": "number",
    "connections": "list",
}
SLAVE_FIELDS: Fields = {"ha_client_connected": "flag", "ha_client_reported_offset": "number"}
SEEN_FROM_INSIDE: Fields = {
    "push2_slave_before": "number",
    "push2_slave_after": "number",
    "connection_count_before": "number",
    "connection_count_after": "number",
    "max_offset_after": "number",
}
"""What a put shows of its broker if a program in the broker's process makes the call; a producer
that sends over the network knows none of it."""

APPENDED_FIELDS: Fields = {
    "append_status": "text",
    "wrote_offset": "number",
    "wrote_bytes": "number",
    "queue_offset": "number",
}
LIST_FIELDS: Mapping[str, Fields] = {
    "connections": {
        "slave_request_offset": "number",
        "slave_ack_offset": "number",
        "next_transfer_from": "number",
    },
    "files": {"from_offset": "number", "to_offset": "number", "crc32": "checksum"},
    "entries": {"offset": "number", "kind": "text"},
}
"""What each item of a list must carry, by the name of the list."""

_TABLES: Fields = {
    **dict.fromkeys(("consumer_offset_file", "delay_offset_file"), "object"),
    "topic_data_version": "object",
    "delay_offsets_in_memory": "object",
    "consumer_offset_file_raw": "text",
    **dict.fromkeys(("ha_master_address", "slave_synchronize_master_addr"), "any"),
    "subscription_group_data_version_counter": "number",
    "topic_data_version_counter": "number",
}

_CONTROLLED: Fields = {
    "confirm_offset": "number",
    "epochs": "rows",
    "local_sync_state_set": "numbers",
    "sync_state_set": "numbers",
}
_TOLD: Fields = {
    "result": "flag",
    **_CONTROLLED,
    **MASTER_FIELDS,
    **SLAVE_FIELDS,
    "queues": "object",
    "role": "text",
}


def _leave_out(kind: str, fields: Fields) -> Fields:
    """The fields without those that a kind must carry."""
    return {name: each for name, each in fields.items() if name not in CONTROLLER_KINDS[kind]}


OPTIONAL_FIELDS: Mapping[str, Fields] = {
    "node_started": {
        "ha_master_address": "any",
        "load_ok": "flag",
        "queues": "object",
        **_CONTROLLED,
    },
    **{kind: _leave_out(kind, _TOLD) for kind in ("to_master", "to_slave", "set_sss")},
    "ha_handshake_slave": {"async_learner": "flag", "sync_from_last_file": "flag"},
    "ha_handshake_master": {"last_epoch": "number"},
    "ha_report": {"state": "text"},
    "ha_frame": {
        "confirm_offset": "number",
        "epoch": "number",
        "epoch_start_offset": "number",
        "state": "text",
    },
    "broker_started": {
        "ok": "flag",
        "topics": "texts",
        **dict.fromkeys(("subscription_groups", "consumer_offsets"), "object"),
        **_TABLES,
    },
    "process_started": {
        "last_exit_normal": "flag",
        "max_offset": "number",
        "min_offset": "number",
    },
    "snapshot": {"queues": "object", **_CONTROLLED},
    "broker_status": {"t_begin_ms": "time"},
    "put": {
        "delay_level": "count",
        "msg_id": "text",
        "sync_state_set_after": "numbers",
        **SEEN_FROM_INSIDE,
    },
    "send_message": {
        "body_bytes": "count",
        "delay_level": "count",
        "msg_id": "text",
        "queue_offset": "any",
        "remark": "any",
    },
    "link_cut_mid_frame": {"conn": "number", "last_bytes_forwarded": "number"},
    "node_stop_begin": {"derived": "flag"},
    "node_stop_clean": {
        "abort_file_present": "flag",
        "max_offset": "number",
        "process_exits": "flag",
        "shutdown_ms": "time",
    },
    "process_exit": {"derived": "flag"},
    "node_kill9": {"derived": "flag"},
    "store_surgery": {"actions": "texts"},
    "get_message": {
        **dict.fromkeys(("diff", "last_returned_phy_offset", "max_phy_offset_pulling"), "number"),
        "msg_ids": "texts",
        "offset_check_in_slave": "flag",
        "role": "text",
    },
    "pull_message": {
        "case": "text",
        **dict.fromkeys(("commit_offset", "suggest_which_broker_id"), "any"),
        **dict.fromkeys(("group_broker_id", "memory_ratio"), "number"),
        "group_which_broker_when_consume_slowly": "number",
        **dict.fromkeys(("offset_check_in_slave", "slave_read_enable"), "flag"),
        "role": "text",
        "suspend_timeout_ms": "count",
        "t_begin_ms": "time",
    },
    "tables": _TABLES,
    "query_consumer_offset": {"offset": "any"},
    "log": dict.fromkeys(("exception", "level", "msg", "node", "repeat", "thread"), "any"),
    "note": dict.fromkeys(("at", "text", "what"), "any"),
}
"""Fields that an event may carry beside those that it must, by kind."""

OPTIONAL_ITEM_FIELDS: Mapping[str, tuple[str, ...]] = {
    "connections": ("slave_id", "state"),
    "entries": (
        *("magic", "msg_id", "queue", "queue_offset", "recorded_phy_offset", "size", "topic"),
    ),
}
"""The same of each item of a list, by the name of the list."""

NAMED_BY_RECORDING = frozenset(
    {
        "queues",
        "consumer_offsets",
        "subscription_groups",
        "offsetTable",
        "delay_offsets_in_memory",
    }
)
"""Fields whose objects have names of queues, groups, topics or levels for their own fields."""

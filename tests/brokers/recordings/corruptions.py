"""Wrong copies of recordings: what no real broker can have done, derived from what one did.

``TABLE``, of which others are parts, has a row for each kind of event: which fields a copy changes,
and how. Some changes give another possible recording; which ones are, and why, stands in
``accepted``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from brokers.recordings.inspection.looks import ANY_NAME, ITEM, Place
from brokers.recordings.reading import Recording
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.read import GetMessageStatus
from reference.worlds.replication.state import STATUS_NAMES
from tests.brokers.recordings.edits import Corruption
from tests.brokers.recordings.ways import (
    Site,
    Way,
    another_answer,
    another_checksum,
    another_name,
    another_response,
    another_role,
    any_of,
    beyond_the_end,
    by_one,
    doubled,
    dropped,
    early_heartbeat,
    early_report,
    fallen,
    far,
    inside,
    long_wait,
    negated,
    one_fewer,
    other_items,
    recovered_less,
    short_wait,
    swapped,
)

Row: TypeAlias = Mapping[str, tuple[Way, ...]]
"""By field: the ways in which it is changed. ``[]`` is any item of a list, ``[7]`` every seventh
one, ``*`` any name that the recording has chosen, and EVENT the event itself."""

EVENT = ""
NUMBER = (by_one, far)
COUNTER = (by_one, far, fallen)
PROGRESS = (dropped, doubled)
"""Events without which the rest cannot be explained, and which happen once."""


def of_each(ways: tuple[Way, ...], *fields: str) -> Row:
    """The same ways for some fields."""
    return dict.fromkeys(fields, ways)


CONNECTIONS = ("slave_request_offset", "slave_ack_offset", "next_transfer_from")
BROKER: Row = {
    **of_each(NUMBER, "max_offset", "min_offset", "mapped_files", "push2_slave_max_offset"),
    **of_each(NUMBER, "connection_count", "slave_fall_behind", "ha_client_reported_offset"),
    **of_each(COUNTER, "flushed_offset", "dispatched_offset"),
    **of_each(NUMBER, *(f"connections.[].{name}" for name in CONNECTIONS)),
    "queues.*.1": (by_one,),
}
TOLD: Row = {
    **of_each((fallen,), "flushed_offset", "dispatched_offset"),
    **of_each(NUMBER, *(f"connections.[].{name}" for name in CONNECTIONS)),
    "queues.*.1": (by_one,),
}
TABLES: Row = {
    **of_each((by_one,), "topic_data_version_counter", "subscription_group_data_version_counter"),
    "topic_data_version": (inside,),
    **of_each((any_of("<other>", "null"),), "slave_synchronize_master_addr", "ha_master_address"),
    "topics": (other_items,),
    **of_each((inside,), "consumer_offsets", "consumer_offset_file", "subscription_groups"),
    **of_each((inside,), "delay_offsets_in_memory", "delay_offset_file"),
}
CONSUMER_PROGRESS: Row = {
    **of_each((by_one,), "queue", "response_code"),
    "offset": NUMBER,
    **of_each((another_name,), "group", "topic"),
    "response": (any_of("SYSTEM_ERROR"),),
}
ENDS: Row = of_each(NUMBER, "next_begin_offset", "min_offset", "max_offset")
STATUS = any_of(*(status.name for status in GetMessageStatus))

LIFE: Row = {EVENT: PROGRESS}
UNCHANGED: Row = {}
"""Nothing of such an event is changed here."""

Table: TypeAlias = Mapping[str, Row]
"""By kind of event: what is changed."""

LOG: Table = {
    "node_started": {
        **BROKER,
        **of_each((negated,), "last_exit_normal", "ha_client_connected"),
        EVENT: (*PROGRESS, recovered_less),
    },
    "broker_started": BROKER,
    "snapshot": {**BROKER, "ha_client_connected": (negated,)},
    "put": {
        **of_each(NUMBER, "wrote_offset", "wrote_bytes", "queue_offset", "push2_slave_before"),
        **of_each(NUMBER, "connection_count_before", "connection_count_after"),
        "max_offset_after": NUMBER,
        "push2_slave_after": COUNTER,
        "put_status": (any_of(*STATUS_NAMES[:5], name="status"),),
        EVENT: (*PROGRESS, short_wait, long_wait),
    },
    "ha_link_open": {"conn": NUMBER, EVENT: PROGRESS},
    "ha_link_close": {"conn": NUMBER},
    "ha_report": {
        "slave_offset": (*NUMBER, beyond_the_end),
        "conn": NUMBER,
        EVENT: (*PROGRESS, early_report, swapped("slave_offset")),
    },
    "ha_frame": {
        **of_each(NUMBER, "master_offset", "body_bytes", "conn"),
        EVENT: (*PROGRESS, early_heartbeat, swapped("master_offset", "body_bytes")),
    },
    **dict.fromkeys(("to_master", "to_slave", "set_sss"), TOLD),
    "node_stop_clean": {"max_offset": NUMBER, "abort_file_present": (negated,)},
    **dict.fromkeys(("process_exit", "node_kill9", "store_wiped"), LIFE),
    "delete_expired_files": {"deleted": NUMBER, EVENT: PROGRESS},
    "log_crc": {"files.[].to_offset": (by_one,), "files.[].crc32": (another_checksum,)},
    "log_scan": of_each((by_one,), "entries.[7].offset", "entries.[7].size"),
    "divergence_check": {
        "compared_to_offset": NUMBER,
        **of_each((negated,), "common_prefix_equal", "range_after_equal"),
    },
}
"""What shows the log."""

SHOWN_TABLES: Table = {
    **dict.fromkeys(("tables", "broker_started"), TABLES),
    "update_consumer_offset": CONSUMER_PROGRESS,
    "query_consumer_offset": {**CONSUMER_PROGRESS, EVENT: (another_answer,)},
    "update_subscription_group": of_each(
        (by_one,), "broker_id", "which_broker_when_consume_slowly", "response_code"
    ),
    "send_message": {"response_code": (by_one,)},
    "update_topic": {"response_code": (by_one,)},
}
"""What shows tables, or changes them."""

READS: Table = {
    **{kind: row for kind, row in SHOWN_TABLES.items() if kind != "broker_started"},
    "get_message": {
        **ENDS,
        **of_each(NUMBER, "count", "bytes", "max_offset_py", "memory_threshold_bytes"),
        **of_each(NUMBER, "max_phy_offset_pulling", "last_returned_phy_offset", "diff"),
        **of_each((negated,), "suggest_pulling_from_slave", "offset_check_in_slave"),
        "status": (STATUS,),
        "msg_ids": (one_fewer,),
        "role": (another_role,),
    },
    "pull_message": {
        **ENDS,
        **of_each(NUMBER, "body_bytes", "suggest_which_broker_id", "group_broker_id"),
        **of_each(NUMBER, "group_which_broker_when_consume_slowly", "commit_offset"),
        **of_each((negated,), "slave_read_enable", "offset_check_in_slave", "commit_flag"),
        "get_status": (STATUS,),
        "response_code": (any_of(*(code.value for code in ResponseCode)),),
        "role": (another_role,),
        EVENT: (another_response,),
    },
}
"""What shows reads, or what they depend on."""

TABLE: Table = {
    **dict.fromkeys(
        (
            *("process_started", "node_stop_begin", "store_surgery", "proxy_target_down"),
            *("broker_status", "queue_ends"),
            *("link_stalled", "link_healed", "link_cut", "link_cut_mid_frame"),
            *("sss_listener", "shrink", "ha_handshake_slave", "ha_handshake_master"),
            *("set_config", "set_broker_config", "update_ha_master_address", "ha_master_address"),
            *("register_broker", "sync_all", "persist_consumer_offsets"),
        ),
        UNCHANGED,
    ),
    **LOG,
    **READS,
    "broker_started": {**BROKER, **TABLES},
}
"""The allowed changes of each kind of event."""


def corrupt(recording: Recording, table: Table = LOG) -> Iterator[Corruption]:
    """Every wrong copy of a recording that a table makes."""
    for place, event in enumerate(recording.events):
        for field, ways in table.get(event.kind, UNCHANGED).items():
            label = find_label(field)
            for site, way in itertools.product(list_sites(recording, place, field), ways):
                name = way.name.format(kind=event.kind, field=label)
                for change, edits in way.list_changes(site):
                    yield Corruption(name, change, edits)


def find_label(field: str) -> str:
    """The last name of a field that is not the recording's own choice."""
    names = [step for step in field.split(".") if step.isidentifier()]
    return names[-1] if names else field


def list_sites(recording: Recording, place: int, field: str) -> Iterator[Site]:
    """Where a field stands in an event: nowhere, or in each item of a list."""
    steps = field.split(".") if field else []
    for path, old in _walk(recording.events[place].data, steps):
        yield Site(recording, place, path, old if field else None)


def _walk(value: Any, steps: list[str], path: Place = ()) -> Iterator[tuple[Place, Any]]:
    if not steps:
        yield path, value
        return
    step, *rest = steps
    found: Iterator[Any] | list[Any] = []
    if step == ANY_NAME:
        found = list(value)
    elif step.startswith(ITEM[0]):
        found = list(range(0, len(value), int(step[1:-1] or 1)))
    elif step.isdigit():
        found = [int(step)]
    elif step in value:
        found = [step]
    for each in found:
        yield from _walk(value[each], rest, (*path, each))

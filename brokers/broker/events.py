"""What a broker notes of itself, in the format of recordings (``spec/trace_format.md``)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from attrs import define

from brokers.broker.replication.controlled_master import (
    ControlledConnection,
    ControlledMasterHa,
)
from brokers.broker.replication.controlled_slave import ControlledSlaveHa
from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.master_ha import HaConnection, MasterHa
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.settings import Settings
from reference.configuration.keys import MESSAGE_STORE_CONFIG, Value
from reference.configuration.later_keys import get_name_in
from reference.roles import Role
from reference.store.put import MessageToPut, PutMessageResult, is_written

LATER_NUMBERS = ("slaveTimeout", "inSyncReplicas", "minInSyncReplicas")
"""Keys of later releases that a checker of recordings reads."""


def list_store_config(settings: Settings) -> dict[str, Value]:
    """The store's settings where the file has any, by the names of 4.4.0; later ones by theirs."""
    told, version = settings.configuration.values, settings.version
    config = {
        key: settings.get(key) for key in MESSAGE_STORE_CONFIG if get_name_in(key, version) in told
    }
    numbers = {k: settings.later_number(k, -1) for k in told if k in LATER_NUMBERS}
    return {**config, **{k: n for k, n in numbers.items() if n >= 0}}


def describe_connection(connection: HaConnection) -> dict[str, Any]:
    """A slave's connection in a snapshot of its master."""
    shown: dict[str, Any] = {
        "slave_request_offset": connection.get("slave_request_offset"),
        "slave_ack_offset": connection.get("slave_ack_offset"),
        "next_transfer_from": connection.get("next_transfer_offset"),
    }
    if isinstance(connection, ControlledConnection):
        shown |= {"slave_id": connection.slave_id, "state": connection.state}
    return shown


@define(eq=False, repr=False)
class EventWriter:
    """Lines of what happens, each written whole and at once."""

    ha: MasterHa
    slave: SlaveHa | None
    append: Callable[[bytes], None] | None
    """Where lines go; without it there are none."""
    node: str

    def write(self, kind: str, **fields: Any) -> None:
        """One event; its stamp is the time of day (``wall_ms``)."""
        if self.append is not None:
            head = {"ev": kind, "node": self.node, "wall_ms": self.ha.host.wall_time_ms()}
            text = json.dumps({**head, **fields}, separators=(",", ":")) + "\n"
            self.append(text.encode())

    def write_start(self) -> None:
        """Who starts, with which settings, and what it has found."""
        settings, store = self.ha.settings, self.ha.store
        self.write(
            "config_node",
            rocketmq=settings.version.name,
            role=settings.role.name,
            flush_type=settings.configuration.flush_disk_type.name,
            broker_id=settings.broker_id,
            store_config=list_store_config(settings),
        )
        self.write(
            "node_started",
            role=settings.role.name,
            last_exit_normal=store.is_last_exit_normal,
            **self.describe(),
        )

    def describe(self) -> dict[str, Any]:
        """The counters of a snapshot."""
        store = self.ha.store
        shown: dict[str, Any] = {
            "max_offset": store.max_offset,
            "flushed_offset": store.flushed_offset,
            "min_offset": store.min_offset,
            "mapped_files": len(store.store.commit_log.mapped_files),
            "dispatched_offset": store.store.reput_from_offset_bytes,
            **self._describe_control(),
        }
        if self.slave is not None:
            return {
                **shown,
                "ha_client_connected": self.slave.is_connected,
                "ha_client_reported_offset": self.slave.reported,
            }
        rules = self.ha.rules
        push2 = rules.get("master.push2_slave_max_offset")
        return {
            **shown,
            "push2_slave_max_offset": push2,
            "connection_count": rules.get("master.connection_count"),
            "slave_fall_behind": store.max_offset - push2,
            "connections": [describe_connection(each) for each in self.ha.connections],
        }

    def _describe_control(self) -> dict[str, Any]:
        """What is shown in controller mode only."""
        if not isinstance(self.ha, ControlledMasterHa):
            return {}
        members, confirmed = self.ha.list_members(), self.ha.confirm_offset
        if isinstance(self.slave, ControlledSlaveHa):
            confirmed = self.slave.confirmed
        return {
            "confirm_offset": confirmed,
            "sync_state_set": members,
            "local_sync_state_set": members,
            "epochs": self.ha.epochs.list_rows(),
        }

    def tell(self) -> dict[str, Any]:
        """A role and what it finds, as it is told."""
        role = self.ha.rules.structure.role if self.slave is None else Role.SLAVE
        return {"role": role.name, **self.describe(), "result": True}

    def write_set(self, members: list[int]) -> None:
        """The master asks for a set, and has it at once."""
        self.write("sss_listener", set=members)
        self.write("set_sss", **self.describe())

    def write_snapshot(self) -> None:
        """The counters now."""
        self.write("snapshot", **self.describe())

    def write_put(self, put: PendingPut) -> None:
        """A put that has its answer."""
        result = put.result
        if not isinstance(put.message, MessageToPut) or not isinstance(result, PutMessageResult):
            return
        host, rules = self.ha.host, self.ha.rules
        now_ms = host.now_ms()
        fields: dict[str, Any] = {
            "topic": put.message.topic,
            "queue": put.message.queue_id,
            "body_bytes": len(put.message.body or b""),
            "wait_store_ok": put.waits_for_store,
            "begin_wall_ms": host.wall_time_ms() - (now_ms - put.begin_ms),
            "put_status": result.status.name,
            "duration_ms": round(now_ms - put.begin_ms, 3),
            "push2_slave_before": put.push2_before,
            "connection_count_before": put.connections_before,
            "push2_slave_after": rules.get("master.push2_slave_max_offset"),
            "connection_count_after": rules.get("master.connection_count"),
            "max_offset_after": self.ha.store.max_offset,
        }
        if isinstance(self.ha, ControlledMasterHa):
            fields["sync_state_set_after"] = self.ha.list_members()
        if result.append is not None and is_written(result.append):
            fields |= {
                "append_status": result.append.status.name,
                "wrote_offset": result.append.wrote_offset_bytes,
                "wrote_bytes": result.append.wrote_bytes,
                "queue_offset": result.append.logics_offset,
            }
        self.write("put", **fields)

"""What a broker notes of itself, in the format of recordings (``spec/trace_format.md``)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define

from brokers.broker.replication.controlled_master import (
    ControlledConnection,
    ControlledMasterHa,
)
from brokers.broker.replication.controlled_slave import ControlledSlaveHa
from brokers.broker.replication.followed_puts import Put
from brokers.broker.replication.master_ha import HaConnection
from brokers.broker.settings import Settings
from reference.configuration.keys import MESSAGE_STORE_CONFIG, Value
from reference.configuration.later_keys import get_name_in
from reference.store.put import Message, PutMessageResult, is_written
from reference.worlds.replication.shape import Role

if TYPE_CHECKING:
    from brokers.broker.broker import Broker

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

    broker: Broker
    append: Callable[[bytes], None] | None
    """Where lines go; without it there are none."""
    node: str

    def write(self, kind: str, **fields: Any) -> None:
        """One event; its stamp is the time of day (``wall_ms``)."""
        if self.append is not None:
            head = {"ev": kind, "node": self.node, "wall_ms": self.broker.host.wall_time_ms()}
            text = json.dumps({**head, **fields}, separators=(",", ":")) + "\n"
            self.append(text.encode())

    def write_start(self) -> None:
        """Who starts, with which settings, and what it has found."""
        settings, store = self.broker.settings, self.broker.store
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
        broker, store = self.broker, self.broker.store
        shown: dict[str, Any] = {
            "max_offset": store.max_offset,
            "flushed_offset": store.flushed_offset,
            "min_offset": store.min_offset,
            "mapped_files": len(store.store.commit_log.mapped_files),
            "dispatched_offset": store.store.reput_from_offset_bytes,
            **self._describe_control(),
        }
        if broker.slave is not None:
            return {
                **shown,
                "ha_client_connected": broker.slave.is_connected,
                "ha_client_reported_offset": broker.slave.reported,
            }
        rules = broker.serving
        push2 = rules.get("master.push2_slave_max_offset")
        return {
            **shown,
            "push2_slave_max_offset": push2,
            "connection_count": rules.get("master.connection_count"),
            "slave_fall_behind": store.max_offset - push2,
            "connections": [describe_connection(each) for each in broker.ha.connections],
        }

    def _describe_control(self) -> dict[str, Any]:
        """What is shown in controller mode only."""
        broker = self.broker
        if not isinstance(broker.ha, ControlledMasterHa):
            return {}
        members, confirmed = broker.ha.list_members(), broker.ha.confirm_offset
        if isinstance(broker.slave, ControlledSlaveHa):
            confirmed = broker.slave.confirmed
        return {
            "confirm_offset": confirmed,
            "sync_state_set": members,
            "local_sync_state_set": members,
            "epochs": broker.epochs.list_rows(),
        }

    def tell(self) -> dict[str, Any]:
        """A role and what it finds, as it is told."""
        slave, rules = self.broker.slave, self.broker.serving
        role = rules.structure.role if slave is None else Role.SLAVE
        return {"role": role.name, **self.describe(), "result": True}

    def write_set(self, members: list[int]) -> None:
        """The master asks for a set, and has it at once."""
        self.write("sss_listener", set=members)
        self.write("set_sss", **self.describe())

    def write_snapshot(self) -> None:
        """The counters now."""
        self.write("snapshot", **self.describe())

    def write_put(self, put: Put) -> None:
        """A put that has its answer."""
        result = put.result
        if not isinstance(put.message, Message) or not isinstance(result, PutMessageResult):
            return
        host, rules = self.broker.host, self.broker.serving
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
            "max_offset_after": self.broker.store.max_offset,
        }
        if isinstance(self.broker.ha, ControlledMasterHa):
            fields["sync_state_set_after"] = self.broker.ha.list_members()
        if result.append is not None and is_written(result.append):
            fields |= {
                "append_status": result.append.status.name,
                "wrote_offset": result.append.wrote_offset_bytes,
                "wrote_bytes": result.append.wrote_bytes,
                "queue_offset": result.append.logics_offset,
            }
        self.write("put", **fields)

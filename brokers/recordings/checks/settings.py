"""Settings that are changed while a broker runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER, compute_message_margin_bytes
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View, check, get_timers
from reference.releases.timing_differences import SLAVE_TIMEOUT
from reference.roles import Role

SIZES: Mapping[str, str] = {
    "haSlaveFallbehindMax": "ha_slave_fallbehind_max_bytes",
    "haTransferBatchSize": "ha_transfer_batch_size_bytes",
    "maxMessageSize": "message_size_max_bytes",
}
"""Sizes that the master reads anew each time, by property: the parameter of the model."""

TIMES: Mapping[str, str] = {
    "syncFlushTimeout": "sync_flush_timeout_ms",
    "slaveTimeout": "slave_timeout_ms",
    "haSendHeartbeatInterval": "master_heartbeat_interval_ms",
    "haHousekeepingInterval": "master_housekeeping_interval_ms",
}
"""Times that the master reads anew each time, by property: the timer of the checker."""


def check_set_config(view: View, event: Event) -> View:
    """Properties of a broker are set; most of them are of no concern to replication."""
    node = view.plan.find_node(event)
    if not view.is_up(node):
        raise Blocked("this broker does not run")
    if node != MASTER:
        return view
    for name, value in event["props"].items():
        if name == "brokerRole":
            view = check_role(view, value)
        if name in SIZES:
            view = set_size(view, name, value)
        if name in TIMES and _is_known(view, name):
            changes: dict[str, Any] = {TIMES[name]: read_number(name, value)}
            timers = evolve(get_timers(view), **changes)
            view = evolve(view, timers=timers)
    return view


def _is_known(view: View, name: str) -> bool:
    return name != "slaveTimeout" or view.plan.version.has(SLAVE_TIMEOUT)


def set_size(view: View, name: str, value: object) -> View:
    """The master reads another size from now on."""
    size = read_number(name, value)
    if name == "maxMessageSize":
        size += compute_message_margin_bytes(view.plan.version)
    changes: dict[str, Any] = {SIZES[name]: size}
    parameters = evolve(view.cluster.parameters, **changes)
    return evolve(view, cluster=evolve(view.cluster, parameters=parameters))


def check_role(view: View, value: object) -> View:
    """The master waits for slaves from now on, or no longer (R-BR-07)."""
    if value not in (Role.SYNC_MASTER.name, Role.ASYNC_MASTER.name):
        raise Blocked(f"brokerRole is set to {value!r}, which a running master cannot become")
    role = Role.SYNC_MASTER if view.cluster.master.is_sync else Role.ASYNC_MASTER
    return check(view, "brokerRole", role.name, value)


def read_number(name: str, value: object) -> int:
    """A property that has to be a positive number, perhaps given as a text."""
    number = int(value) if isinstance(value, str) and value.isdigit() else value
    if not isinstance(number, int) or isinstance(number, bool) or number <= 0:
        raise Blocked(f"{name} is set to {value!r}, not to a positive number")
    return number


def check_address(view: View, event: Event) -> View:
    """A slave is told where its master is, or is asked for it (HAService#updateMasterAddress)."""
    node = view.plan.find_node(event)
    names = ("ha_master_address", "address", "new_address", "master_address")
    shown = next((event.data[name] for name in names if name in event.data), None)
    if not view.is_up(node):
        raise Blocked("this broker does not run")
    if node == MASTER or not isinstance(shown, str):
        return view
    if event.kind == "ha_master_address":
        known = view.slaves[node].ha_master_address
        return check(view, "ha_master_address", known or shown, shown)
    return view.change_broker(node, ha_master_address=shown)

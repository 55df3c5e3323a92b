"""Settings that are changed while a broker runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from reference.recordings.plan import MASTER, compute_message_margin_bytes
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation, check, fire, get_timers
from reference.releases.timing_differences import SLAVE_TIMEOUT
from reference.worlds.replication.roles import Role

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


def explain_set_config(explanation: Explanation, event: Event) -> Explanation:
    """Properties of a broker are set; most of them are of no concern to replication."""
    node = explanation.plan.find_node(event)
    if not explanation.is_up(node):
        raise Blocked("this broker does not run")
    if node != MASTER:
        return explanation.count_check()
    for name, value in event["props"].items():
        if name == "brokerRole":
            explanation = set_role(explanation, value)
        if name in SIZES:
            explanation = set_size(explanation, name, value)
        if name in TIMES and _is_known(explanation, name):
            changes: dict[str, Any] = {TIMES[name]: read_number(name, value)}
            timers = evolve(get_timers(explanation), **changes)
            explanation = evolve(explanation, timers=timers)
    return explanation.count_check()


def _is_known(explanation: Explanation, name: str) -> bool:
    return name != "slaveTimeout" or explanation.plan.version.has(SLAVE_TIMEOUT)


def set_size(explanation: Explanation, name: str, value: object) -> Explanation:
    """The master reads another size from now on."""
    size = read_number(name, value)
    if name == "maxMessageSize":
        size += compute_message_margin_bytes(explanation.plan.version)
    changes: dict[str, Any] = {SIZES[name]: size}
    parameters = evolve(explanation.cluster.parameters, **changes)
    return evolve(explanation, cluster=evolve(explanation.cluster, parameters=parameters))


def set_role(explanation: Explanation, value: object) -> Explanation:
    """The master waits for slaves from now on, or no longer (R-BR-07)."""
    if value not in (Role.SYNC_MASTER.name, Role.ASYNC_MASTER.name):
        raise Blocked(f"brokerRole is set to {value!r}, which a running master cannot become")
    is_sync = value == Role.SYNC_MASTER.name
    if is_sync == explanation.cluster.master.is_sync:
        return explanation
    return fire(explanation, "switch_master_role")


def read_number(name: str, value: object) -> int:
    """A property that has to be a positive number, perhaps given as a text."""
    number = int(value) if isinstance(value, str) and value.isdigit() else value
    if not isinstance(number, int) or isinstance(number, bool) or number <= 0:
        raise Blocked(f"{name} is set to {value!r}, not to a positive number")
    return number


def explain_address(explanation: Explanation, event: Event) -> Explanation:
    """A slave is told where its master is, or is asked for it (HAService#updateMasterAddress)."""
    node = explanation.plan.find_node(event)
    names = ("ha_master_address", "address", "new_address", "master_address")
    shown = next((event.data[name] for name in names if name in event.data), None)
    if not explanation.is_up(node):
        raise Blocked("this broker does not run")
    if node == MASTER or not isinstance(shown, str):
        return explanation.count_check()
    if event.kind == "ha_master_address":
        known = explanation.slaves[node].ha_master_address
        return check(explanation, "ha_master_address", known or shown, shown)
    return explanation.change_broker(node, ha_master_address=shown).count_check()

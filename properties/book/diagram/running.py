"""Which nodes run in a state, lane by lane, for each world that has nodes."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from reference.consumption.state import Consumption
from reference.delay.state import Delay
from reference.state import Cluster
from reference.tables.state import CopiedTables


@singledispatch
def list_running(state: Any) -> tuple[bool, ...]:
    """For each lane whether its node runs; empty for a world that registers nothing."""
    return ()


@list_running.register
def _(state: Cluster) -> tuple[bool, ...]:
    return (True, bool(state.master.is_up), *(bool(s.is_up) for s in state.slaves))


@list_running.register
def _(state: Consumption) -> tuple[bool, ...]:
    return (state.consumer.is_running, state.master.is_up, state.slave.is_up, True)


@list_running.register
def _(state: CopiedTables) -> tuple[bool, ...]:
    return (*(broker.is_up for broker in state.brokers), True)


@list_running.register
def _(state: Delay) -> tuple[bool, ...]:
    return tuple(broker.is_up for broker in state.brokers)

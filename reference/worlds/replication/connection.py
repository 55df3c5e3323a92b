"""Replication connections: opened by slaves, counted by the master, closed by either end.

A connection counts from the moment the master accepts it, before its slave has sent anything, until
the master notices its end (R-HA-03, R-HA-04).
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.language.operators import count_true, negate
from reference.language.rule import RuleBody, replace_at, rule, when
from reference.worlds.replication.state import Cluster, Link

CLOSED_LINK = Link()
"""A closed connection, with nothing in flight."""


def count_open_links(cluster: Cluster) -> int:
    """The number of accepted connections that still have a slave at their other end."""
    return count_true(*(link.is_open for link in cluster.links))


def change_link(cluster: Cluster, slave: int, **changes: Any) -> Cluster:
    """The cluster with one replication connection changed."""
    link = evolve(cluster.links[slave], **changes)
    return evolve(cluster, links=replace_at(cluster.links, slave, link))


def close_link(cluster: Cluster, slave: int) -> Cluster:
    """The cluster after the end of a connection; the master still counts it."""
    return evolve(cluster, links=replace_at(cluster.links, slave, CLOSED_LINK))


def open_link(cluster: Cluster, slave: int) -> Cluster:
    """The cluster with a new connection: counted, and the slave's max offset noted."""
    master = cluster.master
    fresh = Link(is_open=True, reported_offset=cluster.slaves[slave].log.max_offset)
    return evolve(
        cluster,
        master=evolve(master, connection_count=master.connection_count + 1),
        links=replace_at(cluster.links, slave, fresh),
    )


@rule(
    who="slave",
    source="HAClient#connectMaster, HAConnection (constructor)",
    heals="replication",
    says="<~ connects",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects and is counted immediately; it notes its max offset, but reports nothing."""
    master, broker, link = cluster.master, cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_slave_up=broker.is_up,
        is_link_closed=negate(link.is_open),
    )
    # EFFECT
    return open_link(cluster, slave)


@rule(
    who="master",
    source="HAConnection.ReadSocketService#run, HAClient#run",
    weight=1,
    says="closes connection {number}",
)
def close_idle_connection(cluster: Cluster, slave: int) -> RuleBody:
    """One end has read nothing for its housekeeping interval and closes, though nothing is wrong.

    This also happens when the HA service of a stopping master shuts down (R-HA-08, R-HC-14).
    """
    # ENABLED WHEN
    yield when(is_link_open=cluster.links[slave].is_open)
    # EFFECT
    return close_link(cluster, slave)


@rule(
    who="master",
    source="HAConnection.ReadSocketService#run",
    heals="connection",
    says="counts {state.master.connection_count} connections",
)
def drop_connection(cluster: Cluster) -> RuleBody:
    """The master notices that a connection is dead and stops counting it."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_dead_connection=count_open_links(cluster) < master.connection_count,
    )
    # EFFECT
    return evolve(cluster, master=evolve(master, connection_count=master.connection_count - 1))

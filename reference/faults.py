"""What goes wrong, and how brokers come back. Faults are rules too; each has a limit.

A process kill leaves the page cache, a power loss takes any part of the tail that is not on disk.
Restarts are not limited.
"""

from __future__ import annotations

from attrs import evolve

from reference.lineage import compute_boundary_at_or_below, compute_known_boundary, cut_to
from reference.operations import minimum, negate
from reference.put import abandon_pending_puts
from reference.rule import RuleBody, between, replace_at, rule, when
from reference.state import Cluster, CommitLog, Link, Slave


def count_fault(cluster: Cluster, name: str) -> Cluster:
    """The cluster with one more fault of this name on the account."""
    faults = evolve(cluster.faults, **{name: getattr(cluster.faults, name) + 1})
    return evolve(cluster, faults=faults)


def is_within_limit(cluster: Cluster, name: str) -> bool:
    """The fault may strike once more."""
    count: int = getattr(cluster.faults, name)
    limit: int = getattr(cluster.parameters.limits, name)
    return count < limit


CLOSED_LINK = Link()
"""A connection that is gone, with all that was in flight."""


def stop_master(cluster: Cluster) -> Cluster:
    """What the end of the master's process takes with it: memory, connections, waiting puts."""
    master = evolve(cluster.master, is_up=False, push2_slave_max_offset=0, connection_count=0)
    return evolve(
        cluster,
        master=master,
        links=(CLOSED_LINK,) * len(cluster.links),
        messages=abandon_pending_puts(cluster.messages),
    )


def stop_slave(cluster: Cluster, slave: int, log: CommitLog) -> Cluster:
    """What the end of a slave's process takes with it: its connection."""
    stopped = Slave(log=log, is_up=False)
    return evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, stopped),
        links=replace_at(cluster.links, slave, CLOSED_LINK),
    )


def lose_tail(log: CommitLog, end: int) -> CommitLog:
    """A log after a power loss: cut, and what is read back from the disk is on the disk."""
    return evolve(cut_to(log, end), ghost_durable_offset=end)


def load(log: CommitLog) -> CommitLog:
    """A log as a starting broker sees it: everything found counts as flushed (R-RC-03)."""
    return evolve(log, flushed_offset=log.max_offset)


@rule(who="fault", source="kill -9 of the master's process; MappedFile (page cache)")
def kill_master(cluster: Cluster) -> RuleBody:
    """The master's process is killed; its page cache survives, its waiting puts do not."""
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_kills"),
    )
    # EFFECT
    return count_fault(stop_master(cluster), "master_kills")


@rule(who="fault", source="kill -9 of a slave's process; MappedFile (page cache)")
def kill_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's process is killed; its page cache survives, also a message received in part."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_within_limit=is_within_limit(cluster, "slave_kills"),
    )
    # EFFECT
    return count_fault(stop_slave(cluster, slave, broker.log), "slave_kills")


@rule(who="fault", source="power loss of the master's machine; CommitLog#recoverAbnormally")
def lose_master_power(cluster: Cluster) -> RuleBody:
    """The master's machine loses power: any part of the tail that is not on disk is gone."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "master_power_losses"),
        has_modelled_life_left=master.ghost_life + 1 < cluster.structure.lives,
    )
    kept = yield between("kept_offset", master.log.ghost_durable_offset, master.log.max_offset)
    # EFFECT
    end = compute_boundary_at_or_below(master.log, cluster.messages, kept)
    stopped = stop_master(cluster)
    log = lose_tail(master.log, end)
    lost = evolve(stopped.master, log=log, ghost_life=master.ghost_life + 1)
    return count_fault(evolve(stopped, master=lost), "master_power_losses")


@rule(who="fault", source="power loss of a slave's machine; CommitLog#recoverAbnormally")
def lose_slave_power(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's machine loses power: any part of the tail that is not on disk is gone."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_within_limit=is_within_limit(cluster, "slave_power_losses"),
    )
    kept = yield between("kept_offset", broker.log.ghost_durable_offset, broker.log.max_offset)
    # EFFECT
    stopped = stop_slave(cluster, slave, lose_tail(broker.log, kept))
    return count_fault(stopped, "slave_power_losses")


@rule(who="fault", source="a broken TCP connection between slave and master")
def cut_link(cluster: Cluster, slave: int) -> RuleBody:
    """A replication connection breaks; what was in flight is gone, the master still counts it."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_within_limit=is_within_limit(cluster, "link_cuts"),
    )
    # EFFECT
    cut = evolve(cluster, links=replace_at(cluster.links, slave, CLOSED_LINK))
    return count_fault(cut, "link_cuts")


@rule(who="master", source="DefaultMessageStore#load, CommitLog#recoverAbnormally")
def restart_master(cluster: Cluster) -> RuleBody:
    """The master starts again with the log that it finds."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_down=negate(master.is_up))
    # EFFECT
    return evolve(cluster, master=evolve(master, is_up=True, log=load(master.log)))


@rule(who="slave", source="DefaultMessageStore#load, CommitLog#recoverAbnormally")
def restart_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave starts again; a message that it holds in part only is cut from its end (R-RC-12)."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_down=negate(broker.is_up))
    lowest = compute_known_boundary(broker.log, cluster.messages, cluster.master.log)
    end = compute_boundary_at_or_below(broker.log, cluster.messages, broker.log.max_offset)
    recovered = yield between("recovered_offset", minimum(lowest, end), end)
    # EFFECT
    log = load(cut_to(broker.log, recovered))
    restarted = Slave(log=log, is_up=True)
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, restarted))

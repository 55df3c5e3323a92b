"""The flush services: page cache to disk.

When they run is a matter of timers and page counts (R-FL-03, R-FL-06, R-FL-10); here they may run
at any time, and a broker that never gets to it is covered as well.
"""

from __future__ import annotations

from attrs import evolve

from reference.rule import RuleBody, replace_at, rule, when
from reference.state import Cluster, CommitLog


def flush(log: CommitLog) -> CommitLog:
    """The log with everything forced to disk: ``force`` covers the whole mapped file."""
    return evolve(log, flushed_offset=log.max_offset, ghost_durable_offset=log.max_offset)


@rule(who="master", source="MappedFileQueue#flush, MappedFile#flush")
def flush_master(cluster: Cluster) -> RuleBody:
    """The master forces its commit log to disk up to its max offset."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_unflushed_bytes=master.log.flushed_offset < master.log.max_offset,
    )
    # EFFECT
    return evolve(cluster, master=evolve(master, log=flush(master.log)))


@rule(who="slave", source="MappedFileQueue#flush, MappedFile#flush")
def flush_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave forces its commit log to disk up to its max offset; nobody waits for it."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        has_unflushed_bytes=broker.log.flushed_offset < broker.log.max_offset,
    )
    # EFFECT
    flushed = evolve(broker, log=flush(broker.log))
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, flushed))

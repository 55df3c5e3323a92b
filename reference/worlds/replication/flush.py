"""The flush services: page cache to disk, one file at a time.

In a broker, timers and page counts decide when they run (R-FL-03, R-FL-06, R-FL-10). Here they may
run at any time, or never.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.leaves import Offset
from reference.language.operators import negate
from reference.language.rule import RuleBody, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.mapped_files import (
    flush,
    flush_too_few_pages,
    get_slave_sizes,
    has_unflushed_bytes,
    is_first_file_not_full,
    is_flush_below_first_file,
)
from reference.worlds.replication.state import Cluster


@overridable
def compute_cached_end(cluster: Cluster) -> Offset:
    """Up to where the master's log is in page cache and can be forced to disk: all of it."""
    return cluster.master.log.max_offset


@rule(
    who="master",
    source="MappedFileQueue#flush, MappedFile#flush",
    weight=4,
    heals="flush",
    says="flushes to {state.master.log.flushed_offset}",
)
def flush_master(cluster: Cluster) -> RuleBody:
    """The master forces to disk the unflushed bytes of one file of its commit log."""
    master = cluster.master
    # ENABLED WHEN
    cached = compute_cached_end(cluster)
    has_unflushed = has_unflushed_bytes(master.log, cached)
    yield when(is_master_up=master.is_up, has_unflushed_bytes=has_unflushed)
    # EFFECT
    log = flush(master.log, cached, cluster.parameters)
    return evolve(cluster, master=evolve(master, log=log))


@rule(
    who="slave",
    source="MappedFileQueue#flush, MappedFile#flush",
    weight=4,
    heals="flush",
    says="flushes",
)
def flush_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave forces one file of its commit log to disk; no put waits for it."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    cached = broker.log.max_offset
    has_unflushed = has_unflushed_bytes(broker.log, cached)
    yield when(is_slave_up=broker.is_up, has_unflushed_bytes=has_unflushed)
    # EFFECT
    flushed = evolve(broker, log=flush(broker.log, cached, get_slave_sizes(cluster)))
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, flushed))


@rule(
    who="master",
    source="MappedFileQueue#flush, MappedFile#isAbleToFlush",
    weight=1,
    heals="flush",
    says="finds too few pages to flush, counts as flushed to {state.master.log.flushed_offset}",
)
def flush_master_too_few_pages(cluster: Cluster) -> RuleBody:
    """A master that never flushed counts all below its first file as flushed; it forces nothing.

    A group commit asks for no number of pages: whatever is new is enough for it (R-FL-03).
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_flushed_by_pages=negate(cluster.structure.is_sync_flush),
        is_flush_below_first_file=is_flush_below_first_file(master.log),
        is_first_file_not_full=is_first_file_not_full(master.log, cluster.parameters),
    )
    # EFFECT
    return evolve(cluster, master=evolve(master, log=flush_too_few_pages(master.log)))


@rule(
    who="slave",
    source="MappedFileQueue#flush, MappedFile#isAbleToFlush",
    weight=1,
    heals="flush",
    says="finds too few pages to flush",
)
def flush_slave_too_few_pages(cluster: Cluster, slave: int) -> RuleBody:
    """A slave that never flushed counts all below its first file as flushed; it forces nothing."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_flush_below_first_file=is_flush_below_first_file(broker.log),
        is_first_file_not_full=is_first_file_not_full(broker.log, get_slave_sizes(cluster)),
    )
    # EFFECT
    flushed = evolve(broker, log=flush_too_few_pages(broker.log))
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, flushed))

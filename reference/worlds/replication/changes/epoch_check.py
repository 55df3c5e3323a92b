"""A connecting slave cuts its log back to where it agrees with the master's, then requests more.

Differs from 4.4.0: before the transfer both ends compare their lists of epochs (log epochs of the
master, `life` in the code, which 4.x does not number), and the slave truncates after the last byte
that both have from the same epoch.
"""

from __future__ import annotations

from attrs import evolve, fields

from reference.language.operators import choose, negate
from reference.language.rule import RuleBody, replace_at, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.connection import open_link
from reference.worlds.replication.lineage import compute_common_end
from reference.worlds.replication.mapped_files import cut_to
from reference.worlds.replication.state import Cluster, CommitLog, empty_log

VARIANT = Variant(
    name="epoch_check",
    sentence="Epochs are compared when a slave connects, and the slave truncates what differs.",
    comes_from="AutoSwitchHAService of RocketMQ 5.0 (RIP-44), in its essence; Kafka's KIP-101.",
    endless=("connect_slave",),
)


OFFSETS = [field.name for field in fields(CommitLog) if field.name not in {"ends", "has_file"}]
"""Fields of a log that are single offsets."""


def has_common_end(cluster: Cluster, slave: int) -> bool:
    """The slave's log shares bytes with the master's, or has nothing to share."""
    log = cluster.slaves[slave].log
    end = compute_common_end(log, cluster.master.log)
    return (log.start_offset < end) | (log.max_offset == end)


def choose_log(is_kept: bool, cut: CommitLog, none: CommitLog) -> CommitLog:
    """One of two logs: what a truncation has left of the bytes, or nothing."""
    offsets = {name: choose(is_kept, getattr(cut, name), getattr(none, name)) for name in OFFSETS}
    ends = tuple(choose(is_kept, a, b) for a, b in zip(cut.ends, none.ends, strict=True))
    return CommitLog(ends=ends, has_file=is_kept & cut.has_file, **offsets)


def compute_truncated_log(cluster: Cluster, slave: int) -> CommitLog:
    """A slave's log without bytes that the master does not have; empty if nothing agrees."""
    log = cluster.slaves[slave].log
    end = compute_common_end(log, cluster.master.log)
    cut, none = cut_to(log, end, cluster.parameters), empty_log(cluster.structure.lives)
    return choose_log(has_common_end(cluster, slave), cut, none)


@rule(
    who="slave",
    source="AutoSwitchHAClient#doTruncate, AutoSwitchHAConnection (handshake) at 5.0",
    into=VARIANT.rules,
    heals="replication",
    says="<~ connects",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects and truncates its log to the last point that the master has too."""
    master, broker, link = cluster.master, cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_slave_up=broker.is_up,
        is_link_closed=negate(link.is_open),
    )
    # EFFECT
    truncated = evolve(broker, log=compute_truncated_log(cluster, slave))
    slaves = replace_at(cluster.slaves, slave, truncated)
    return open_link(evolve(cluster, slaves=slaves), slave)

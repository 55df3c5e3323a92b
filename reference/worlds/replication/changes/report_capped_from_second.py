"""From the second report of a connection on, none above the master's own max offset counts.

Differs from 4.4.0: ``HAConnection.ReadSocketService#processReadEvent`` compares every report but
the first with the master's log, and closes the connection of a slave that is ahead. A slave repeats
its report while nothing arrives, so one that is ahead is disconnected and reconnects repeatedly.
"""

from __future__ import annotations

from reference.language.operators import choose, minimum
from reference.language.rule import RuleBody, rule, when
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.connection import close_link
from reference.worlds.replication.replication import is_first_report
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="report_capped_from_second",
    sentence="The master compares every report but the first one of a connection with its own log.",
    comes_from="RocketMQ 4.9.3 (pull request 3016, issues 1155 and 3015); not in 5.x.",
    endless=("refuse_later_report",),
    span=Span("4.9.3", until="5.0.0"),
)


@VARIANT.override
def compute_highest_report(cluster: Cluster, slave: int) -> int:
    """The highest report that the master may read next: only a first one may exceed its log."""
    link = cluster.links[slave]
    capped = minimum(link.reported_offset, cluster.master.log.max_offset)
    return choose(is_first_report(link), link.reported_offset, capped)


@rule(
    who="master",
    source="HAConnection.ReadSocketService#processReadEvent at 4.9.3",
    into=VARIANT.rules,
    heals="added",
    says="reads a report beyond its end, closes {number}",
)
def refuse_later_report(cluster: Cluster, slave: int) -> RuleBody:
    """The master reads a second or repeated report above its own log, and closes the connection."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_read_first_report=link.slave_request_offset >= 0,
        is_above_log=cluster.master.log.max_offset < link.reported_offset,
    )
    # EFFECT
    return close_link(cluster, slave)

"""Reports above the master's own max offset do not count; a slave that sends one is disconnected.

Differs from 4.4.0: ``HAConnection.ReadSocketService#processReadEvent`` compares each report,
including the first, with the master's log before it raises ``push2SlaveMaxOffset``.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.rule import RuleBody, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.connection import close_link
from reference.worlds.replication.replication import compute_lowest_report, has_report_in_flight
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="report_capped",
    sentence="The master takes no report above its own max offset, and closes the connection.",
    comes_from="Requested in pull request 3382 and issue 3015; released only from the second "
    "report on (see report_capped_from_second).",
    endless=("refuse_report",),
)


@VARIANT.override
def compute_highest_report(cluster: Cluster, slave: int) -> int:
    """The highest report that the master may read next: none above its own log."""
    return minimum(cluster.links[slave].reported_offset, cluster.master.log.max_offset)


@VARIANT.override
def compute_alien_report_max(cluster: Cluster) -> int:
    """A stranger's number counts too, but only up to the end of the master's log."""
    return cluster.master.log.max_offset


@rule(
    who="master",
    source="HAConnection.ReadSocketService#processReadEvent (with a check)",
    into=VARIANT.rules,
    heals="added",
    says="reads a report beyond its end, closes {number}",
)
def refuse_report(cluster: Cluster, slave: int) -> RuleBody:
    """The master reads a report above its own max offset, and closes the connection."""
    link, log = cluster.links[slave], cluster.master.log
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_report_in_flight=has_report_in_flight(link),
        is_above_log=log.max_offset < link.reported_offset,
        is_nothing_below_left=log.max_offset < compute_lowest_report(cluster, slave),
    )
    # EFFECT
    return close_link(cluster, slave)

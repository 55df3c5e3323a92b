"""The slaves are played by somebody else: one may report anything, and its master takes it.

Differs from 4.4.0: nothing of the master; but no rule says what a slave reports, or when. A report
may lie below the one before, or beyond every log. At 4.4.0 nobody compares it with anything
(``HAConnection.ReadSocketService#processReadEvent``); a release that does so still does.
"""

from __future__ import annotations

from reference.language.rule import RuleBody, between, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.replication import compute_highest_report, take_report
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="scripted_slave",
    sentence="Slaves report whatever they like.",
    comes_from="A tester that plays the slave of a master under test.",
)

LARGEST_REPORT = 2**63 - 1
"""A report is a long."""


@rule(
    who="master",
    source="HAConnection.ReadSocketService#processReadEvent, HAService#notifyTransferSome",
    into=VARIANT.rules,
    heals="replication",
    says="reads report {slave_offset}, push2 {state.master.push2_slave_max_offset}",
)
def receive_report(cluster: Cluster, slave: int) -> RuleBody:
    """The master reads reports: the last of them counts, and can only raise push2."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_reported=link.has_reported,
    )
    free = change_link(cluster, slave, reported_offset=LARGEST_REPORT)
    offset = yield between("slave_offset", 0, compute_highest_report(free, slave))
    # EFFECT
    return take_report(cluster, slave, offset)

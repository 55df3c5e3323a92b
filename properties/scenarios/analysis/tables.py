"""From a broker group to the guarantees of its copied tables and delayed messages."""

from __future__ import annotations

from properties.language.world import ClaimedStructure
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.verdicts.analysis import Analysis, decide_certified
from properties.worlds.delay.world import DELAY_STRUCTURES
from properties.worlds.tables.world import TABLES_STRUCTURES, ClaimedTables
from reference.configuration.broker_group import BrokerGroup
from reference.releases.releases import is_since
from reference.releases.versions import Version


def analyse_tables(group: BrokerGroup) -> tuple[Analysis, ...]:
    """What holds for every master with a slave, in any configuration; none without slaves.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """
    if not group.slaves:
        return ()
    topics, subscription_groups = get_tables(group.version)
    titled: list[tuple[str, ClaimedStructure]] = [
        ("topics", topics),
        ("subscription groups", subscription_groups),
        ("delayed messages", DELAY_STRUCTURES[0]),
    ]
    if topics == subscription_groups:
        titled[:2] = [("topics and subscription groups", topics)]
    return tuple(
        Analysis(structure, leave_open_unmet(group, structure, decide_certified(structure)), title)
        for title, structure in titled
    )


TOPICS_440, GROUPS_440, TOPICS_450, GROUPS_450 = TABLES_STRUCTURES[:4]
TOPICS_471, TOPICS_511, BOTH_532, BOTH_534, BOTH_550 = TABLES_STRUCTURES[6:]

TABLES_SINCE = (
    ("5.5.0", BOTH_550, BOTH_550),
    ("5.3.4", BOTH_534, BOTH_534),
    ("5.3.2", BOTH_532, BOTH_532),
    ("5.3.1", TOPICS_511, TOPICS_471),
    ("5.1.1", TOPICS_511, GROUPS_450),
    ("4.7.1", TOPICS_471, GROUPS_450),
    ("4.5.1", TOPICS_450, GROUPS_450),
    ("4.4.0", TOPICS_440, GROUPS_440),
)
"""The releases since which topics and groups are copied so (V-01, V-02, V-46; spec/tables.md)."""


def get_tables(version: Version) -> tuple[ClaimedTables, ClaimedTables]:
    """How a release copies topics, and how subscription groups."""
    return next((t, g) for since, t, g in TABLES_SINCE if is_since(version.release, since))

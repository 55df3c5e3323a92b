"""From a broker group to the guarantees of its copied tables and delayed messages."""

from __future__ import annotations

from properties.language.world import ClaimedStructure
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.verdicts.analysis import Analysis, decide_certified
from properties.worlds.delay.world import DELAY_STRUCTURES
from properties.worlds.tables.world import TABLES_STRUCTURES, ClaimedTables
from reference.configuration.broker_group import BrokerGroup
from reference.releases.versions import USUAL_VERSION, Version


def analyse_tables(group: BrokerGroup) -> tuple[Analysis, ...]:
    """What holds for every master with a slave, in any configuration; none without slaves.

    Later releases also copy tables as 4.5.0 does, except for the 5.x changes that
    ``spec/versions.md`` leaves out.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """
    if not group.slaves:
        return ()
    topics, subscription_groups, *_ = get_tables(group.version)
    titled: dict[str, ClaimedStructure] = {
        "topics": topics,
        "subscription groups": subscription_groups,
        "delayed messages": DELAY_STRUCTURES[0],
    }
    return tuple(
        Analysis(structure, leave_open_unmet(group, structure, decide_certified(structure)), title)
        for title, structure in titled.items()
    )


def get_tables(version: Version) -> tuple[ClaimedTables, ...]:
    """How a release copies topics and subscription groups: as 4.4.0 does, or as since 4.5.0.

    V-01, V-02.
    """
    is_later = version.release != USUAL_VERSION.release
    return TABLES_STRUCTURES[2:] if is_later else TABLES_STRUCTURES

"""What is fixed for one instance of the world of copied tables: its shape, and its fault limits."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import frozen

from reference.structure import Count
from reference.terms import Sort
from reference.world import Pair

Instant: TypeAlias = Annotated[int, Sort.INTEGER]
"""A reading of a clock, counted in changes: only its order and its equality matter."""
Content: TypeAlias = Annotated[int, Sort.INTEGER]
"""What a table holds, as a number: equal numbers mean equal content, and 0 is no content."""
BrokerNumber: TypeAlias = Annotated[int, Sort.INTEGER]
"""0 or 1; -1 stands for no broker."""

NOBODY = -1


@frozen
class TablesStructure(Pair):
    """Which table, and in which form of RocketMQ."""

    is_version_kept: bool = True
    """The version is in the file: that of topics is, that of subscription groups is not
    (SubscriptionGroupManager#decode)."""
    is_answered_first: bool = True
    """An administrator who creates an entry is answered before it is created: of topics it is so
    (AdminBrokerProcessor#updateAndCreateTopic), of groups it is not."""
    has_role_switch: bool = False
    """A broker may change its role while it runs, as from 4.5.0 on (V-01)."""
    is_own_address_checked: bool = False
    """Nobody copies from its own address, as from 4.5.0 on (V-02); 4.4.0 has no check (R-MS-03)."""
    is_table_written_first: bool = False
    """An answer has the table before the version. RocketMQ's JSON library sorts fields by name, so
    ``dataVersion`` comes first; this is what a re-implementation might do."""

    @property
    def name(self) -> str:
        """Short name, for example ``tables/topics/4.4.0``."""
        table = "topics" if self.is_version_kept else "groups"
        if self.is_table_written_first:
            return f"tables/{table}/table before version"
        if not self.has_role_switch:
            return f"tables/{table}/4.4.0"
        return f"tables/{table}/4.5.0{'' if self.is_own_address_checked else ' unchecked address'}"


@frozen
class TablesFaults:
    """A number per kind of fault or circumstance: how often it has struck, or how often it may."""

    slave_changes: Count = 0
    """No failure: a table is changed on a slave, by a client's heartbeat or an administrator."""
    stops: Count = 0
    """No failure: a broker is stopped in order."""
    kills: Count = 0
    """Kills of a broker's process."""
    power_losses: Count = 0
    """Power losses of a broker's machine: its file may be the one before, or gone; the name server
    is not told."""
    role_changes: Count = 0
    """No failure: an operator gives a broker the other role."""
    clock_coincidences: Count = 0
    """A change is stamped with an instant that was used before: two brokers within a millisecond,
    or a clock that was set back."""


@frozen
class TablesParameters:
    """Constant in a run, symbolic in a proof."""

    ghost_contents_max: Content = 2**40
    """How many different contents masters make; RocketMQ knows no such limit, only a search that
    is to see everything needs one."""
    limits: TablesFaults = TablesFaults()
    """How often each fault may strike."""


SMALL_TABLES = TablesParameters(ghost_contents_max=8)
"""A few changes, for searches."""

TABLES_STRUCTURES = (
    TablesStructure(),
    TablesStructure(is_version_kept=False, is_answered_first=False),
    TablesStructure(has_role_switch=True, is_own_address_checked=True),
    TablesStructure(
        is_version_kept=False,
        is_answered_first=False,
        has_role_switch=True,
        is_own_address_checked=True,
    ),
    TablesStructure(has_role_switch=True),
    TablesStructure(is_table_written_first=True),
)
"""Every structure of this world that has a certificate."""

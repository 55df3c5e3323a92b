"""The state of copied tables: two brokers with their tables, their files and their copying.

One entry of the table is followed: a topic or group that an administrator creates once. The rest of
a table is one number. Fields named ``ghost_...`` exist in the specification only.

The constants of a run come first: sizes, and limits of faults.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import field, frozen

from reference.language.leaves import Code, Count, Flag
from reference.language.operator_table import Sort
from reference.language.operators import choose
from reference.language.parameters import BaseFaults, BaseParameters
from reference.worlds.tables.shape import TablesShape

Instant: TypeAlias = Annotated[int, Sort.INTEGER]
"""A reading of a clock, counted in changes: only its order and its equality matter."""
Content: TypeAlias = Annotated[int, Sort.INTEGER]
"""The content of a table, as a number: equal numbers mean equal content, 0 means empty."""
BrokerNumber: TypeAlias = Annotated[int, Sort.INTEGER]
"""0 or 1; -1 means no broker."""

NOBODY = -1


@frozen
class TablesFaults(BaseFaults):
    """A number per kind of fault or environment event: how often it has happened, or may."""

    slave_changes: Count = 0
    """Not a failure: a client's heartbeat or an administrator changes a table on a slave."""
    stops: Count = 0
    """Not a failure: a broker stops cleanly."""
    kills: Count = 0
    """Kills of a broker's process."""
    power_losses: Count = 0
    """Power losses of a broker's machine: its file may be the previous one, or gone; the name
    server is not notified."""
    role_changes: Count = 0
    """Not a failure: an operator gives a broker the other role."""
    clock_coincidences: Count = 0
    """Changes stamped with an instant that was used before: by two brokers within a millisecond, or
    by a clock that was set back."""


@frozen
class TablesParameters(BaseParameters):
    """Constant in a run, symbolic in a proof."""

    ghost_contents_max: Content = 2**40
    """How many different contents masters create. RocketMQ has no such limit; only an exhaustive
    search needs one."""
    limits: TablesFaults = TablesFaults()
    """How often each fault may happen."""


SMALL_TABLES = TablesParameters(ghost_contents_max=8)
"""A few changes, for searches."""


STAGE_NAMES = ("IDLE", "HALF_ANSWERED", "ANSWERED", "VERSION_TAKEN", "CLEARED")
IDLE, HALF_ANSWERED, ANSWERED, VERSION_TAKEN, CLEARED = range(len(STAGE_NAMES))
"""Progress of a copy: the stages of SlaveSynchronize#syncTopicConfig."""

NO_CONTENT = 0


@frozen
class Table:
    """A table with its version (``DataVersion``)."""

    stamp: Instant
    """``DataVersion.timestamp``."""
    counter: Count = 0
    """``DataVersion.counter``."""
    content: Content = 1
    """Its content."""
    has_entry: Flag = False
    """It has the followed entry."""


def has_version_of(one: Table, other: Table) -> bool:
    """Both have the same version (DataVersion#equals, R-MS-09)."""
    return (one.stamp == other.stamp) & (one.counter == other.counter)


def choose_table(is_first: bool, first: Table, second: Table) -> Table:
    """One table or the other."""
    return Table(
        choose(is_first, first.stamp, second.stamp),
        choose(is_first, first.counter, second.counter),
        choose(is_first, first.content, second.content),
        choose(is_first, first.has_entry, second.has_entry),
    )


@frozen
class Copy:
    """A copy in progress, with the master's answer."""

    stage: Code = IDLE
    """Its progress."""
    source: BrokerNumber = NOBODY
    """The broker that was asked."""
    table: Table = Table(stamp=0)
    """The answer so far."""
    ghost_is_entry_owed: Flag = False
    """When it began, the followed entry had been created and not deleted."""


@frozen
class TableBroker:
    """One broker, with one table."""

    is_up: Flag
    """Its process runs."""
    is_master: Flag
    """Its role; a master's id is 0 (R-BR-01)."""
    table: Table
    """In memory."""
    file: Table
    """On disk."""
    backup: Table
    """``.bak`` beside it: the file before it was last written."""
    is_answering: Flag = False
    """It has reported the followed entry as created, before creating it."""
    is_changing: Flag = False
    """The table has changed; its version and file have not yet."""
    is_creating: Flag = False
    """That change creates the followed entry."""
    is_deleting: Flag = False
    """That change deletes the followed entry."""
    source: BrokerNumber = NOBODY
    """The broker that it copies from (``SlaveSynchronize.masterAddr``)."""
    copy: Copy = Copy()
    """Its copy in progress."""
    ghost_has_own_change: Flag = False
    """It was changed while a slave, and has copied nothing since."""
    ghost_has_known_entry: Flag = False
    """Its running process has once had the followed entry, which has not been deleted."""
    ghost_was_brought_entry: Flag = False
    """It has completed a copy that began when the followed entry existed."""


@frozen
class CopiedTables:
    """The whole state of this world."""

    structure: TablesShape = field(metadata={"static": True})
    """Its static shape."""
    parameters: TablesParameters
    """Its fault limits."""
    brokers: tuple[TableBroker, ...]
    """Two brokers of one name; initially, number 0 is the master."""
    listed_master: BrokerNumber = 0
    """The broker whose address the name server has under id 0."""
    ghost_clock: Instant = 2
    """The latest instant that a version was stamped with."""
    ghost_contents: Content = 1
    """The number of different contents so far."""
    ghost_is_created: Flag = False
    """The followed entry has been put into a table."""
    ghost_is_made: Flag = False
    """Its creation has been reported and is in the reporting broker's file."""
    ghost_is_deleted: Flag = False
    """Its deletion has begun."""
    ghost_is_deletion_answered: Flag = False
    """The administrator has been answered that it is deleted."""
    ghost_answered_by: BrokerNumber = NOBODY
    """The broker that reported the creation to the administrator and has kept its role since."""
    ghost_is_answered: Flag = False
    """The administrator has been answered that it is created."""
    ghost_is_slave_change_lost: Flag = False
    """A change made on a slave has been discarded."""
    faults: TablesFaults = field(factory=TablesFaults)
    """The faults so far."""

"""The state of copied tables: two brokers with their tables, their files and their copying.

One entry of the table is followed: a topic, or a group, that an administrator creates once. The
rest of a table is one number. Fields named ``ghost_...`` exist in the specification only.

Before it stands what never changes in a run: the sizes, and how often faults may strike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from attrs import field, frozen

from reference.language.operators import choose
from reference.language.terms import Sort
from reference.worlds.replication.parameters import Code, Count, Flag

if TYPE_CHECKING:
    from reference.worlds.tables.structure import TablesStructure


Instant: TypeAlias = Annotated[int, Sort.INTEGER]
"""A reading of a clock, counted in changes: only its order and its equality matter."""
Content: TypeAlias = Annotated[int, Sort.INTEGER]
"""What a table holds, as a number: equal numbers mean equal content, and 0 is no content."""
BrokerNumber: TypeAlias = Annotated[int, Sort.INTEGER]
"""0 or 1; -1 stands for no broker."""

NOBODY = -1


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


IDLE, HALF_ANSWERED, ANSWERED, VERSION_TAKEN, CLEARED = range(5)
"""How far a copy is; the stages of SlaveSynchronize#syncTopicConfig."""

NO_CONTENT = 0


@frozen
class Table:
    """A table with its version (``DataVersion``)."""

    stamp: Instant
    """``DataVersion.timestamp``."""
    counter: Count = 0
    """``DataVersion.counter``."""
    content: Content = 1
    """What it holds."""
    has_entry: Flag = False
    """It holds the followed entry."""


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
    """A copy that is under way, and what the master has answered."""

    stage: Code = IDLE
    """How far it is."""
    source: BrokerNumber = NOBODY
    """Who was asked."""
    table: Table = Table(stamp=0)
    """The answer, as far as it is there."""
    ghost_is_entry_owed: Flag = False
    """When it began, the followed entry was made and not deleted."""


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
    """``.bak`` beside it: what the file was before it was written last."""
    is_answering: Flag = False
    """An administrator was told that the followed entry is created, before it is."""
    is_changing: Flag = False
    """The table is changed, its version and its file are not yet."""
    is_creating: Flag = False
    """That change is the creation of the followed entry."""
    is_deleting: Flag = False
    """That change is its deletion."""
    source: BrokerNumber = NOBODY
    """Whom it copies from (``SlaveSynchronize.masterAddr``)."""
    copy: Copy = Copy()
    """What it copies."""
    ghost_has_own_change: Flag = False
    """It was changed as a slave, and has copied nothing since."""
    ghost_has_known_entry: Flag = False
    """Its running process once had the followed entry, which nobody has deleted."""
    ghost_was_brought_entry: Flag = False
    """It has completed a copy that began when the followed entry was there."""


@frozen
class CopiedTables:
    """The whole state of this world."""

    structure: TablesStructure = field(metadata={"static": True})
    """Its static shape."""
    parameters: TablesParameters
    """Its fault limits."""
    brokers: tuple[TableBroker, ...]
    """Two brokers of one name; at first, number 0 is the master."""
    listed_master: BrokerNumber = 0
    """Whose address the name server has under id 0."""
    ghost_clock: Instant = 2
    """The latest instant that a version was stamped with."""
    ghost_contents: Content = 1
    """How many different contents there were."""
    ghost_is_created: Flag = False
    """The followed entry was put into a table."""
    ghost_is_made: Flag = False
    """Its creation was answered, and is in the file of who answered."""
    ghost_is_deleted: Flag = False
    """Its deletion has begun."""
    ghost_is_deletion_answered: Flag = False
    """The administrator was told that it is deleted."""
    ghost_answered_by: BrokerNumber = NOBODY
    """Who told the administrator that it is created, and has had the same role since."""
    ghost_is_answered: Flag = False
    """The administrator was told that it is created."""
    ghost_is_slave_change_lost: Flag = False
    """What was changed on a slave was thrown away."""
    faults: TablesFaults = field(factory=TablesFaults)
    """The faults so far."""

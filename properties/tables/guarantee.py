"""What somebody who administers topics and groups relies on, in their words.

*Answered* means that the administrator was told so by the master that was asked.
"""

from __future__ import annotations

from properties.tables.registry import TABLES
from reference.operations import all_of, any_of, implies, negate
from reference.tables.copying import get_other
from reference.tables.state import ANSWERED, CopiedTables, TableBroker


def is_settled(broker: TableBroker) -> bool:
    """Its table is neither being changed nor being replaced."""
    return negate(broker.is_changing) & (broker.copy.stage <= ANSWERED)


def has_same_version(one: TableBroker, other: TableBroker) -> bool:
    """Both tables have the same version (DataVersion#equals)."""
    is_same_stamp = one.table.stamp == other.table.stamp
    return is_same_stamp & (one.table.counter == other.table.counter)


def is_entry_there(state: CopiedTables) -> bool:
    """The followed entry was answered, and nobody has begun to delete it."""
    return state.ghost_is_answered & negate(state.ghost_is_deleted)


@TABLES.guarantee(
    why="A copy is left out when versions are equal; a difference behind them stays until "
    "somebody changes the master's table again."
)
def equal_versions_mean_equal_content(state: CopiedTables) -> bool:
    """Two settled tables with the same version hold the same.

    Settled is a table that is neither being changed nor being replaced.
    """
    one, other = state.brokers
    is_compared = all_of(one.is_up, other.is_up, is_settled(one), is_settled(other))
    is_equal = one.table.content == other.table.content
    return implies(is_compared & has_same_version(one, other), is_equal)


@TABLES.guarantee(why="What an administrator was told should still be so.")
def answered_entry_stays_on_master(state: CopiedTables) -> bool:
    """A master that has answered a creation, and has stayed a master, has the entry."""
    return all_of(
        *(
            implies(
                all_of(is_entry_there(state), state.ghost_answered_by == n, b.is_up),
                b.table.has_entry,
            )
            for n, b in enumerate(state.brokers)
        )
    )


@TABLES.guarantee(why="Then nobody can bring it back but the administrator.")
def answered_entry_is_on_some_broker(state: CopiedTables) -> bool:
    """An entry whose creation was answered is in some broker's memory or file."""
    held = (any_of(b.is_up & b.table.has_entry, b.file.has_entry) for b in state.brokers)
    return implies(is_entry_there(state), any_of(*held))


@TABLES.guarantee(why="A topic that comes back takes messages that nobody is meant to read.")
def deleted_entry_does_not_come_back(state: CopiedTables) -> bool:
    """An entry whose deletion was answered is on no master."""
    on_masters = (all_of(b.is_up, b.is_master, b.table.has_entry) for b in state.brokers)
    return implies(state.ghost_is_deletion_answered, negate(any_of(*on_masters)))


@TABLES.guarantee(
    why="A pull for a topic that the slave does not know is answered TOPIC_NOT_EXIST, although its "
    "messages are there (R-MS-11)."
)
def slave_has_what_its_master_answered(state: CopiedTables) -> bool:
    """A running slave has every entry whose creation was answered."""
    slaves = (b.is_up & negate(b.is_master) for b in state.brokers)
    has_it = (implies(s, b.table.has_entry) for s, b in zip(slaves, state.brokers, strict=True))
    return implies(is_entry_there(state), all_of(*has_it))


@TABLES.guarantee(
    why="Consumers of the slave are refused for an instant, and log errors that nobody can explain."
)
def known_entry_is_never_hidden(state: CopiedTables) -> bool:
    """A slave that has once had an entry, which nobody has deleted, has it as long as it runs."""
    return all_of(
        *(
            implies(b.ghost_has_known_entry & negate(b.is_master), b.table.has_entry)
            for b in state.brokers
        )
    )


@TABLES.guarantee(why="It is what a copy is for: after it the slave can stand in for its master.")
def completed_copy_brings_the_entry(state: CopiedTables) -> bool:
    """A slave that completed a copy begun after the answer has the entry, when it is settled."""
    return all_of(
        *(
            implies(
                all_of(b.ghost_was_brought_entry, is_settled(b), negate(b.is_master)),
                b.table.has_entry | negate(is_entry_there(state)),
            )
            for b in state.brokers
        )
    )


@TABLES.guarantee(
    why="A setting made on a slave, or a group made by a heartbeat there, is gone within a minute."
)
def change_on_slave_stays(state: CopiedTables) -> bool:
    """What was changed on a running slave is not thrown away."""
    return negate(state.ghost_is_slave_change_lost)


@TABLES.guarantee(
    why="Such a broker is cut off from its master for good: it takes its own log for the master's "
    "as well (R-NS-02, R-NS-03)."
)
def nobody_copies_from_itself(state: CopiedTables) -> bool:
    """No broker asks itself for its table."""
    return all_of(
        *(
            implies(b.is_up & (b.copy.stage > 0), b.copy.source == get_other(n))
            for n, b in enumerate(state.brokers)
        )
    )

"""The guarantees that administrators of topics and groups rely on, in their words.

*Answered*: the master confirmed the request to the administrator.
"""

from __future__ import annotations

from properties.language.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.tables.copying import get_other
from reference.worlds.tables.state import ANSWERED, IDLE, CopiedTables, TableBroker, has_version_of


def is_settled(broker: TableBroker) -> bool:
    """The broker's table is neither being changed nor being replaced."""
    return negate(broker.is_changing) & (broker.copy.stage <= ANSWERED)


def is_entry_there(state: CopiedTables) -> bool:
    """The followed entry's creation was answered, and no deletion of it has begun."""
    return state.ghost_is_answered & negate(state.ghost_is_deleted)


def have_both_settled(state: CopiedTables) -> bool:
    """Both brokers run, and have settled tables of the same version."""
    one, other = state.brokers
    is_compared = all_of(one.is_up, other.is_up, is_settled(one), is_settled(other))
    return is_compared & has_version_of(one.table, other.table)


def is_deletion_answered(state: CopiedTables) -> bool:
    """The entry's deletion was answered."""
    return state.ghost_is_deletion_answered


def is_entry_known(state: CopiedTables) -> bool:
    """A running slave has had the entry."""
    return any_of(*(b.ghost_has_known_entry & negate(b.is_master) for b in state.brokers))


def is_entry_brought(state: CopiedTables) -> bool:
    """A slave has completed a copy that began when the master had the entry."""
    return any_of(*(b.ghost_was_brought_entry & negate(b.is_master) for b in state.brokers))


def is_slave_changed(state: CopiedTables) -> bool:
    """A slave's table has a change of its own."""
    return any_of(*(b.ghost_has_own_change for b in state.brokers))


def is_anybody_copying(state: CopiedTables) -> bool:
    """A copy is under way."""
    return any_of(*(b.is_up & (b.copy.stage > IDLE) for b in state.brokers))


@guarantee(
    why="A slave skips the copy when versions are equal; a difference that they hide stays until "
    "the master's table changes again.",
    premise=have_both_settled,
)
def equal_versions_mean_equal_content(state: CopiedTables) -> bool:
    """Two settled tables with the same version have the same content.

    A table is settled when it is neither being changed nor being replaced.
    """
    one, other = state.brokers
    return implies(have_both_settled(state), one.table.content == other.table.content)


@guarantee(
    why="A confirmation to an administrator should stay true.",
    premise=is_entry_there,
)
def answered_entry_stays_on_master(state: CopiedTables) -> bool:
    """A master that answered a creation, and stayed master, has the entry or is creating it."""
    return all_of(
        *(
            implies(
                all_of(is_entry_there(state), state.ghost_answered_by == n, b.is_up),
                b.table.has_entry | b.is_answering,
            )
            for n, b in enumerate(state.brokers)
        )
    )


@guarantee(
    why="Otherwise only the administrator can bring it back.",
    premise=is_entry_there,
)
def answered_entry_is_on_some_broker(state: CopiedTables) -> bool:
    """An entry whose creation was answered is in a broker's memory or file, or being created."""
    held = (
        any_of(b.is_up & b.table.has_entry, b.file.has_entry, b.is_answering) for b in state.brokers
    )
    return implies(is_entry_there(state), any_of(*held))


@guarantee(
    why="A topic that comes back accepts messages that no consumer is meant to read.",
    premise=is_deletion_answered,
)
def deleted_entry_does_not_come_back(state: CopiedTables) -> bool:
    """An entry whose deletion was answered is on no master."""
    on_masters = (all_of(b.is_up, b.is_master, b.table.has_entry) for b in state.brokers)
    return implies(is_deletion_answered(state), negate(any_of(*on_masters)))


@guarantee(
    why="A pull for a topic that the slave does not know is answered TOPIC_NOT_EXIST, although its "
    "messages are there (R-MS-11).",
    premise=is_entry_there,
)
def slave_has_what_its_master_answered(state: CopiedTables) -> bool:
    """A running slave has every entry whose creation was answered."""
    slaves = (b.is_up & negate(b.is_master) for b in state.brokers)
    has_it = (implies(s, b.table.has_entry) for s, b in zip(slaves, state.brokers, strict=True))
    return implies(is_entry_there(state), all_of(*has_it))


@guarantee(
    why="Consumers of the slave are refused for an instant, with no visible reason.",
    premise=is_entry_known,
)
def known_entry_is_never_hidden(state: CopiedTables) -> bool:
    """A running slave that has had an entry keeps it until the entry is deleted."""
    return all_of(
        *(
            implies(b.ghost_has_known_entry & negate(b.is_master), b.table.has_entry)
            for b in state.brokers
        )
    )


@guarantee(
    why="This is the purpose of a copy: after it the slave can stand in for its master.",
    premise=is_entry_brought,
)
def completed_copy_brings_the_entry(state: CopiedTables) -> bool:
    """A slave whose completed copy began after the entry was created has it when it is settled."""
    return all_of(
        *(
            implies(
                all_of(b.ghost_was_brought_entry, is_settled(b), negate(b.is_master)),
                b.table.has_entry | negate(is_entry_there(state)),
            )
            for b in state.brokers
        )
    )


@guarantee(
    why="A setting made on a slave, or a group created there by a heartbeat, is gone within a "
    "minute.",
    premise=is_slave_changed,
)
def change_on_slave_stays(state: CopiedTables) -> bool:
    """A change made on a running slave is not discarded."""
    return negate(state.ghost_is_slave_change_lost)


@guarantee(
    why="Such a broker is cut off from its master for good: it also takes its own log for the "
    "master's (R-NS-02, R-NS-03).",
    premise=is_anybody_copying,
)
def nobody_copies_from_itself(state: CopiedTables) -> bool:
    """No broker copies a table from itself."""
    return all_of(
        *(
            implies(b.is_up & (b.copy.stage > IDLE), b.copy.source == get_other(n))
            for n, b in enumerate(state.brokers)
        )
    )

"""What somebody who administers topics and groups relies on, in their words.

*Answered* means that the administrator was told so by the master that was asked.
"""

from __future__ import annotations

from properties.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.tables.copying import get_other
from reference.worlds.tables.state import ANSWERED, IDLE, CopiedTables, TableBroker, has_version_of


def is_settled(broker: TableBroker) -> bool:
    """Its table is neither being changed nor being replaced."""
    return negate(broker.is_changing) & (broker.copy.stage <= ANSWERED)


def is_entry_there(state: CopiedTables) -> bool:
    """The followed entry was answered, and nobody has begun to delete it."""
    return state.ghost_is_answered & negate(state.ghost_is_deleted)


def have_both_settled(state: CopiedTables) -> bool:
    """Both run, and have tables of the same version that nobody is changing."""
    one, other = state.brokers
    is_compared = all_of(one.is_up, other.is_up, is_settled(one), is_settled(other))
    return is_compared & has_version_of(one.table, other.table)


def is_deletion_answered(state: CopiedTables) -> bool:
    """The administrator was told that the entry is deleted."""
    return state.ghost_is_deletion_answered


def is_entry_known(state: CopiedTables) -> bool:
    """A running slave has once had the entry."""
    return any_of(*(b.ghost_has_known_entry & negate(b.is_master) for b in state.brokers))


def is_entry_brought(state: CopiedTables) -> bool:
    """A slave has completed a copy that began when the entry was there."""
    return any_of(*(b.ghost_was_brought_entry & negate(b.is_master) for b in state.brokers))


def is_slave_changed(state: CopiedTables) -> bool:
    """A slave's table has a change of its own."""
    return any_of(*(b.ghost_has_own_change for b in state.brokers))


def is_anybody_copying(state: CopiedTables) -> bool:
    """A copy is under way."""
    return any_of(*(b.is_up & (b.copy.stage > IDLE) for b in state.brokers))


@guarantee(
    why="A copy is left out when versions are equal; a difference behind them stays until "
    "somebody changes the master's table again.",
    premise=have_both_settled,
)
def equal_versions_mean_equal_content(state: CopiedTables) -> bool:
    """Two settled tables with the same version hold the same.

    Settled is a table that is neither being changed nor being replaced.
    """
    one, other = state.brokers
    return implies(have_both_settled(state), one.table.content == other.table.content)


@guarantee(
    why="What an administrator was told should still be so.",
    premise=is_entry_there,
)
def answered_entry_stays_on_master(state: CopiedTables) -> bool:
    """A master that has answered a creation, and stayed a master, has the entry or is making it."""
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
    why="Then nobody can bring it back but the administrator.",
    premise=is_entry_there,
)
def answered_entry_is_on_some_broker(state: CopiedTables) -> bool:
    """An entry whose creation was answered is in some broker's memory or file, or in the making."""
    held = (
        any_of(b.is_up & b.table.has_entry, b.file.has_entry, b.is_answering) for b in state.brokers
    )
    return implies(is_entry_there(state), any_of(*held))


@guarantee(
    why="A topic that comes back takes messages that nobody is meant to read.",
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
    why="Consumers of the slave are refused for an instant, and nobody can see why.",
    premise=is_entry_known,
)
def known_entry_is_never_hidden(state: CopiedTables) -> bool:
    """A slave that has once had an entry, which nobody has deleted, has it as long as it runs."""
    return all_of(
        *(
            implies(b.ghost_has_known_entry & negate(b.is_master), b.table.has_entry)
            for b in state.brokers
        )
    )


@guarantee(
    why="It is what a copy is for: after it the slave can stand in for its master.",
    premise=is_entry_brought,
)
def completed_copy_brings_the_entry(state: CopiedTables) -> bool:
    """A slave that completed a copy, begun when the entry was made, has it when it is settled."""
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
    why="A setting made on a slave, or a group made by a heartbeat there, is gone within a minute.",
    premise=is_slave_changed,
)
def change_on_slave_stays(state: CopiedTables) -> bool:
    """What was changed on a running slave is not thrown away."""
    return negate(state.ghost_is_slave_change_lost)


@guarantee(
    why="Such a broker is cut off from its master for good: it takes its own log for the master's "
    "as well (R-NS-02, R-NS-03).",
    premise=is_anybody_copying,
)
def nobody_copies_from_itself(state: CopiedTables) -> bool:
    """No broker asks itself for its table."""
    return all_of(
        *(
            implies(b.is_up & (b.copy.stage > IDLE), b.copy.source == get_other(n))
            for n, b in enumerate(state.brokers)
        )
    )

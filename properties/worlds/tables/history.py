"""What has happened so far to copied tables: the premises of the lemmas.

``own`` is a broker and ``other`` the one it may copy from; every claim covers both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reference.language.operators import implies
from reference.worlds.tables.state import CopiedTables, Table, TableBroker, has_version_of

Claim = Callable[[int, TableBroker, TableBroker], bool]


def for_both(state: CopiedTables, claim: Claim) -> bool:
    """The claim holds for each broker: its number, the broker, and the other broker."""
    one, other = state.brokers
    return claim(0, one, other) & claim(1, other, one)


def list_tables(state: CopiedTables) -> Iterator[Table]:
    """Every table: in memory, on disk, and in an answer."""
    for broker in state.brokers:
        yield from (broker.table, broker.file, broker.backup, broker.copy.table)


def is_powered(state: CopiedTables) -> bool:
    """No broker has lost power so far."""
    return state.faults.power_losses == 0


def is_answer_kept(state: CopiedTables) -> bool:
    """So far no power loss, and no kill between an answer and the promised change."""
    has_no_kill = (state.faults.kills == 0) if state.structure.is_answered_first else True
    return is_powered(state) & has_no_kill


def is_role_kept(state: CopiedTables) -> bool:
    """No broker has changed its role so far."""
    return state.faults.role_changes == 0


def is_without_switch(state: CopiedTables) -> bool:
    """So far no running broker has changed its role."""
    return is_role_kept(state) if state.structure.has_role_switch else True


def is_one_way(state: CopiedTables) -> bool:
    """So far no broker could copy from a broker that itself copies, or from itself."""
    return is_role_kept(state) | (is_powered(state) & is_without_switch(state))


def is_without_slave_changes(state: CopiedTables) -> bool:
    """So far no slave's table was changed, in a structure where that rules out crossing copies."""
    structure = state.structure
    if structure.has_role_switch or structure.is_table_written_first:
        return False
    return state.faults.slave_changes == 0


def is_replaced_one_way(state: CopiedTables) -> bool:
    """So far no table could be replaced by one that is itself being replaced."""
    return is_one_way(state) | is_without_slave_changes(state)


def is_nobody_ended(state: CopiedTables) -> bool:
    """No broker has stopped or failed so far."""
    faults = state.faults
    return (faults.stops == 0) & (faults.kills == 0) & (faults.power_losses == 0)


def is_counted_by_one(state: CopiedTables) -> bool:
    """So far only broker 0 made versions, and its counter has never restarted."""
    if state.structure.is_remade:
        return False
    has_counter = is_powered(state) if state.structure.is_version_kept else is_nobody_ended(state)
    return has_counter & is_role_kept(state) & (state.faults.slave_changes == 0)


def has_unique_versions(state: CopiedTables) -> bool:
    """So far every change gave a version that no table had before."""
    return (state.faults.clock_coincidences == 0) | is_counted_by_one(state)


def is_steady(state: CopiedTables) -> bool:
    """No power loss and no change of role so far, and each version belongs to one change."""
    return is_powered(state) & is_role_kept(state) & has_unique_versions(state)


def is_orderly(state: CopiedTables) -> bool:
    """So far copies went one way, and no event could bring back a version with old content.

    A kill or a power loss can, if versions are kept, and so can a clock coincidence.
    """
    faults = state.faults
    is_fresh = is_replaced_one_way(state) & has_unique_versions(state)
    if not state.structure.is_version_kept:
        return is_fresh
    return is_fresh & is_powered(state) & (faults.kills == 0)


def is_agreeing(one: Table, other: Table) -> bool:
    """If both tables have the same version, they have the same content."""
    return implies(has_version_of(one, other), one.content == other.content)

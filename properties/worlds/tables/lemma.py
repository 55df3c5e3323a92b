"""The lemmas that the proofs about copied tables need.

``own`` is a broker and ``other`` the one it may copy from; every lemma covers both directions.
*Steady* times: so far no power loss or change of role, and each version belongs to one change.
*Orderly* times: so far copies went one way, and no event could bring back a version with old
content.
"""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.tables.guarantee import is_entry_there, is_settled
from properties.worlds.tables.history import (
    for_both,
    has_unique_versions,
    is_agreeing,
    is_answer_kept,
    is_counted_by_one,
    is_nobody_ended,
    is_one_way,
    is_orderly,
    is_powered,
    is_replaced_one_way,
    is_role_kept,
    is_steady,
    is_without_slave_changes,
    is_without_switch,
    list_tables,
)
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.tables.copying import is_entry_made
from reference.worlds.tables.state import (
    ANSWERED,
    CLEARED,
    HALF_ANSWERED,
    IDLE,
    NO_CONTENT,
    NOBODY,
    VERSION_TAKEN,
    CopiedTables,
    Table,
    TableBroker,
    has_version_of,
)


@lemma(why="Else a fault that cannot happen has happened.")
def fault_counts_are_within_limits(state: CopiedTables) -> bool:
    """No fault happens more often than its limit."""
    return has_faults_within_limits(state)


@lemma(why="Else a new version or content existed before.")
def versions_and_contents_are_past(state: CopiedTables) -> bool:
    """No table has a version or content that is yet to be created."""
    return all_of(
        (state.ghost_clock >= 0) & (state.ghost_contents >= 1),
        *(
            (t.stamp <= state.ghost_clock) & (t.content <= state.ghost_contents)
            for t in list_tables(state)
        ),
    )


@lemma(why="Else a copy is at an impossible stage, or copies from an impossible broker.")
def copies_are_well_formed(state: CopiedTables) -> bool:
    """Stages and sources are in their ranges, and only a running broker copies."""

    def is_well_formed(n: int, own: TableBroker, other: TableBroker) -> bool:
        copy = own.copy
        return all_of(
            (copy.stage >= IDLE) & (copy.stage <= CLEARED),
            (own.source >= NOBODY) & (own.source <= 1),
            implies(copy.stage == HALF_ANSWERED, (copy.source == n) | (other.is_up)),
            implies(copy.stage > IDLE, own.is_up & (copy.source > NOBODY) & (copy.source <= 1)),
            implies(negate(own.is_up), (own.source == NOBODY) & negate(own.is_changing)),
            implies(negate(own.is_up), negate(own.is_answering)),
            implies(own.is_creating | own.is_deleting, own.is_changing),
        )

    return for_both(state, is_well_formed)


@lemma(why="Else a broker starts that was never down.")
def everybody_runs_whom_nobody_ended(state: CopiedTables) -> bool:
    """Without stops and failures both brokers run, and no role has changed at a start."""
    are_up = state.brokers[0].is_up & state.brokers[1].is_up
    is_kept = True if state.structure.has_role_switch else is_role_kept(state)
    return implies(is_nobody_ended(state), are_up & is_kept)


@lemma(why="Else a clock that is set back gives a version that the slave already has.")
def slave_counts_no_further_than_its_master(state: CopiedTables) -> bool:
    """If only the master changes its table, the slave has no higher counter."""
    master, slave = state.brokers
    behind = (
        t.counter <= master.table.counter for t in (slave.table, slave.file, slave.copy.table)
    )
    is_so = all_of(negate(slave.is_changing), master.table.counter >= 0, *behind)
    return implies(is_counted_by_one(state), is_so)


@lemma(why="Else a broker that starts finds another table on its disk than it had.")
def settled_table_is_on_disk(state: CopiedTables) -> bool:
    """A settled table, neither being changed nor being replaced, is in the broker's file.

    So is its version while it is not being replaced, but the version of groups never is.
    """

    def is_on_disk(n: int, own: TableBroker, other: TableBroker) -> bool:
        table, file = own.table, own.file
        is_version_there = has_version_of(table, file) if state.structure.is_version_kept else True
        is_content_there = (table.content == file.content) & is_same_entry(table, file)
        return all_of(
            implies(is_settled(own), is_content_there),
            implies(own.copy.stage <= ANSWERED, is_version_there),
        )

    return for_both(state, is_on_disk)


def is_same_entry(one: Table, other: Table) -> bool:
    """Both tables have the followed entry, or neither has."""
    return implies(one.has_entry, other.has_entry) & implies(other.has_entry, one.has_entry)


@lemma(why="Else the master copies, or broker 1 is a master.")
def roles_are_as_at_first(state: CopiedTables) -> bool:
    """Without changes of role broker 0 is the only master, and does not copy."""
    master, slave = state.brokers
    is_so = all_of(
        master.is_master,
        negate(slave.is_master),
        negate(slave.is_deleting),
        state.listed_master <= 0,
        (master.source == NOBODY) & (master.copy.stage == IDLE),
        slave.source <= 0,
        implies(slave.copy.stage > IDLE, slave.copy.source == 0),
    )
    return implies(is_role_kept(state), is_so)


@lemma(why="Else a master replaces its table by another broker's.")
def masters_do_not_copy(state: CopiedTables) -> bool:
    """If roles change only at a start, a master does not copy, and only masters create entries."""

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        return all_of(
            implies(own.is_master, (own.source == NOBODY) & (own.copy.stage == IDLE)),
            implies(own.is_answering, own.is_master),
            implies(own.is_creating, own.is_master & own.table.has_entry),
        )

    return implies(is_without_switch(state), for_both(state, is_so))


@lemma(
    why="Else the name server lists a slave, and a broker copies from it, perhaps the slave itself."
)
def listed_broker_is_a_running_master(state: CopiedTables) -> bool:
    """A listed broker is a running master, without power losses and role switches."""
    is_calm = is_powered(state) & is_without_switch(state)
    return for_both(
        state,
        lambda n, own, other: implies(
            is_calm & (state.listed_master == n), own.is_up & own.is_master
        ),
    )


@lemma(why="Else a copy is taken of a table that is itself being replaced.")
def copied_broker_does_not_copy(state: CopiedTables) -> bool:
    """While copies go one way, a broker that is copied from does not copy."""

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        is_other_idle = (other.source == NOBODY) & (other.copy.stage == IDLE)
        is_asking = implies(own.copy.stage > IDLE, own.copy.source == own.source)
        return negate(own.source == n) & implies(own.source == 1 - n, is_other_idle) & is_asking

    return implies(is_one_way(state), for_both(state, is_so))


@lemma(why="Else two brokers copy from each other.")
def nobody_copies_from_who_copies_from_it(state: CopiedTables) -> bool:
    """If roles change only at a start, two brokers never copy from each other."""
    if state.structure.has_role_switch:
        return True

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        return all_of(
            implies(state.listed_master == n, negate(own.source == 1 - n)),
            implies(own.source == 1 - n, negate(other.source == n)),
            implies(own.copy.stage > IDLE, own.copy.source == own.source),
        )

    return for_both(state, is_so)


@lemma(why="Else a broker that copies from itself replaces its table.")
def self_copy_changes_nothing(state: CopiedTables) -> bool:
    """Without changes on slaves, a broker that copies from itself finds its own version."""

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        is_own = (own.copy.stage > IDLE) & (own.copy.source == n)
        answer, table = own.copy.table, own.table
        is_same = implies(own.copy.stage == ANSWERED, answer.content == table.content)
        is_left = (own.copy.stage <= ANSWERED) & has_version_of(answer, table) & is_same
        return implies(is_own, is_left) & implies(negate(own.is_master), negate(own.is_changing))

    return implies(is_without_slave_changes(state), for_both(state, is_so))


@lemma(why="Else the master that answered a creation no longer has the entry.")
def answered_entry_is_on_disk(state: CopiedTables) -> bool:
    """If no kill cuts off an answer, a master that answered has the entry in its file."""

    def is_there(n: int, own: TableBroker, other: TableBroker) -> bool:
        is_told = is_entry_there(state) & (state.ghost_answered_by == n)
        has_it = (own.file.has_entry | own.is_creating) & own.table.has_entry
        return implies(is_told, own.is_master & (has_it | own.is_answering))

    return implies(is_answer_kept(state) & is_without_switch(state), for_both(state, is_there))


@lemma(why="Else an entry's creation was answered by no broker, or by the slave.")
def entry_is_answered_by_the_master(state: CopiedTables) -> bool:
    """Without changes of role broker 0 answers creations, and has each entry that it answered."""
    master = state.brokers[0]
    is_kept = implies(
        is_powered(state) & is_entry_made(state),
        master.table.has_entry & master.file.has_entry,
    )
    is_answering = implies(state.ghost_is_answered, state.ghost_answered_by == 0)
    return implies(is_role_kept(state), is_kept & is_answering)


@lemma(why="Else a deleted entry is on the master, or in its file.")
def deleted_entry_is_off_the_master(state: CopiedTables) -> bool:
    """Without changes of role and power losses the master has no entry that it deleted."""
    master = state.brokers[0]
    is_gone = negate(master.table.has_entry | master.file.has_entry)
    is_going = implies(master.is_deleting, negate(master.table.has_entry))
    is_begun = implies(state.ghost_is_deletion_answered, state.ghost_is_deleted)
    is_so = is_going & implies(state.ghost_is_deletion_answered, is_gone)
    return implies(is_role_kept(state) & is_powered(state), is_so) & is_begun


@lemma(why="Else an entry that was never created is deleted, or answered.")
def answers_are_about_what_was_created(state: CopiedTables) -> bool:
    """No broker has an entry before its creation, and none is deleted before it is answered."""
    told = (b.copy.ghost_is_entry_owed | b.ghost_was_brought_entry for b in state.brokers)
    is_absent = all_of(*(negate(t.has_entry) for t in list_tables(state)))
    is_answering = any_of(*(b.is_answering for b in state.brokers))
    is_creating = any_of(*(b.is_creating for b in state.brokers))
    is_answered_last = not state.structure.is_answered_first
    return all_of(
        negate(is_answering) if is_answered_last else True,
        negate(is_creating & state.ghost_is_answered) if is_answered_last else True,
        implies(state.ghost_is_answered, state.ghost_is_created) if is_answered_last else True,
        implies(state.ghost_is_made, state.ghost_is_created & state.ghost_is_answered),
        implies(state.ghost_is_deleted, state.ghost_is_created & state.ghost_is_answered),
        implies(negate(state.ghost_is_answered), state.ghost_answered_by == NOBODY),
        implies(any_of(*(b.is_deleting for b in state.brokers)), state.ghost_is_deleted),
        implies(is_creating, state.ghost_is_created),
        negate(state.brokers[0].is_creating & state.brokers[1].is_creating),
        implies(any_of(*told), state.ghost_is_made),
        state.ghost_is_created | is_absent,
    )


@lemma(why="Else a slave with its master's version lacks an entry that the master answered.")
def masters_version_brings_the_entry(state: CopiedTables) -> bool:
    """In steady times each table with the version of the master's has the answered entry."""
    if state.structure.is_table_written_first:
        return True
    master, slave = state.brokers
    table, file, copy = slave.table, slave.file, slave.copy

    def has_it(held: Table) -> bool:
        return implies(has_version_of(held, master.table), held.has_entry)

    is_so = all_of(
        implies(copy.stage <= ANSWERED, has_it(table)),
        has_it(file),
        implies(copy.stage >= ANSWERED, has_it(copy.table)),
    )
    is_compared = is_entry_made(state) & is_version_valid(state, master)
    return implies(is_steady(state) & is_compared, is_so)


def is_version_valid(state: CopiedTables, broker: TableBroker) -> bool:
    """The broker's table has a valid version; that of groups is valid only while a process runs."""
    return True if state.structure.is_version_kept else broker.is_up


@lemma(why="Else a table that is changed during its replacement has the master's version.")
def version_of_a_replaced_table_is_known(state: CopiedTables) -> bool:
    """While a table is replaced it has the answer's version, or one that no other table has."""

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        is_taken = has_version_of(own.table, own.copy.table)
        others = (other.table, other.file, other.backup)
        is_shared = any_of(*(has_version_of(own.table, t) for t in others))
        has_changed = negate(own.is_changing) & negate(own.table.content == NO_CONTENT)
        return all_of(
            implies(own.copy.stage > ANSWERED, is_taken | negate(is_shared)),
            implies((own.copy.stage == CLEARED) & has_changed, negate(is_shared)),
        )

    is_calm = is_replaced_one_way(state) & has_unique_versions(state)
    return implies(is_calm, for_both(state, is_so))


@lemma(why="Else a copy that began after the answer does not bring the entry.")
def owed_entry_is_brought(state: CopiedTables) -> bool:
    """In steady times a copy begun after the answer has the entry, or leaves it in place."""
    if state.structure.is_table_written_first:
        return True
    slave = state.brokers[1]
    copy = slave.copy
    is_owed = copy.ghost_is_entry_owed & (copy.stage > IDLE)
    is_left = (copy.stage <= ANSWERED) & has_version_of(copy.table, slave.table)
    is_so = implies(copy.stage >= ANSWERED, copy.table.has_entry) & implies(
        is_left, slave.table.has_entry
    )
    return implies(is_steady(state) & is_entry_made(state) & is_owed, is_so)


@lemma(why="Else a master's version stands for another content on its slave.")
def answer_agrees_with_the_master(state: CopiedTables) -> bool:
    """In orderly times an answer with the version of a settled table has that table's content."""
    if state.structure.is_table_written_first:
        return True

    def is_so(n: int, own: TableBroker, other: TableBroker) -> bool:
        is_valid = is_settled(other) & is_version_valid(state, other)
        is_compared = (own.copy.stage >= ANSWERED) & is_valid
        return implies(is_compared, is_agreeing(own.copy.table, other.table))

    return implies(is_orderly(state), for_both(state, is_so))


@lemma(why="Else a broker starts with a file that disagrees with the other one.")
def files_agree(state: CopiedTables) -> bool:
    """In orderly times settled tables and files of both brokers agree."""
    if state.structure.is_table_written_first:
        return True
    one, other = state.brokers
    is_valid = is_version_valid(state, one) & is_version_valid(state, other)
    pairs = [(one.table, other.table, all_of(is_valid, is_settled(one), is_settled(other)))]
    if state.structure.is_version_kept:
        is_calm = negate(one.is_changing) & negate(other.is_changing)
        pairs += [
            (one.file, other.file, is_calm),
            (one.table, other.file, is_calm & is_settled(one)),
            (one.file, other.table, is_calm & is_settled(other)),
        ]
    is_so = all_of(*(implies(when, is_agreeing(a, b)) for a, b, when in pairs))
    return implies(is_orderly(state), is_so)


@lemma(why="Else a slave finds its master's version in a table that it has remade.")
def remade_version_is_its_own(state: CopiedTables) -> bool:
    """Where copies make versions of their own, no two brokers have a version in common."""
    if not state.structure.is_remade:
        return True
    one, other = state.brokers

    def list_own(broker: TableBroker) -> list[tuple[Table, bool]]:
        is_in_place = negate(broker.copy.stage == VERSION_TAKEN)
        return [(broker.table, is_in_place), (broker.file, True), (broker.backup, True)]

    apart = (
        implies(is_first & is_second, negate(has_version_of(first, second)))
        for first, is_first in list_own(one)
        for second, is_second in list_own(other)
    )
    return implies(state.faults.clock_coincidences == 0, all_of(*apart))


@lemma(why="Else a slave that remakes its tables leaves one as it is.")
def remade_table_never_has_the_answers_version(state: CopiedTables) -> bool:
    """Where copies make versions of their own, an answer never has that of the slave's table."""
    if not state.structure.is_remade:
        return True
    slave = state.brokers[1]
    answer, stage = slave.copy.table, slave.copy.stage
    first = ANSWERED if state.structure.is_table_written_first else HALF_ANSWERED
    tables = ((slave.table, stage <= ANSWERED), (slave.file, True), (slave.backup, True))
    apart = (implies(is_meant, negate(has_version_of(t, answer))) for t, is_meant in tables)
    is_calm = is_role_kept(state) & (state.faults.clock_coincidences == 0)
    return implies(is_calm & (stage >= first), all_of(*apart))


@lemma(why="Else a copy that began after the creation replaces a table without the entry.")
def owed_answer_has_the_entry(state: CopiedTables) -> bool:
    """An answer to a request made after the creation has the entry, until it is deleted."""
    copy = state.brokers[1].copy
    first = HALF_ANSWERED if state.structure.is_table_written_first else ANSWERED
    is_calm = all_of(is_role_kept(state), is_powered(state), is_entry_made(state))
    is_owed = copy.ghost_is_entry_owed & (copy.stage >= first)
    return implies(is_calm & is_owed, copy.table.has_entry)


@lemma(why="Else a copy that began before the creation takes away a known entry.")
def known_entry_is_owed(state: CopiedTables) -> bool:
    """Where entries are answered last, a slave that has one and copies began to copy after it."""
    if state.structure.is_answered_first:
        return True
    slave = state.brokers[1]
    is_there = slave.ghost_has_known_entry | slave.ghost_was_brought_entry
    is_owed = implies(slave.copy.stage > IDLE, slave.copy.ghost_is_entry_owed)
    is_known = implies(slave.ghost_has_known_entry, is_entry_made(state))
    is_made = implies(state.ghost_is_answered, state.ghost_is_made)
    is_calm = is_role_kept(state) & is_powered(state)
    is_so = implies(is_there & is_entry_made(state), is_owed) & is_known
    return is_made & implies(is_calm, is_so)


@lemma(why="Else a copy that clears nothing hides a known entry.")
def known_entry_stays(state: CopiedTables) -> bool:
    """Where nothing is cleared and entries are answered last, a slave keeps what it had."""
    if not state.structure.is_reconciled or state.structure.is_answered_first:
        return True
    slave, is_calm = state.brokers[1], is_role_kept(state) & is_powered(state)
    return implies(is_calm & slave.ghost_has_known_entry, slave.table.has_entry)


@lemma(why="Else a change is lost that was never made.")
def nothing_is_lost_where_nothing_is_changed(state: CopiedTables) -> bool:
    """Without changes on slaves no broker has a change of its own, and none is lost."""
    owns = (b.ghost_has_own_change for b in state.brokers)
    is_none = negate(any_of(state.ghost_is_slave_change_lost, *owns))
    return implies(state.faults.slave_changes == 0, is_none)


@lemma(why="Else a broker that checks the address still copies from itself.")
def checked_address_is_the_others(state: CopiedTables) -> bool:
    """A broker that checks the address copies from the other broker."""
    if not state.structure.is_own_address_checked:
        return True
    return for_both(
        state, lambda n, own, other: implies(own.copy.stage > IDLE, own.copy.source == 1 - n)
    )


@lemma(why="Else a later copy takes away what an earlier one has brought.")
def brought_entry_stays(state: CopiedTables) -> bool:
    """In steady times a slave that got the entry keeps it, and every copy brings it again."""
    if state.structure.is_table_written_first and not state.structure.is_remade:
        return True
    slave = state.brokers[1]
    is_brought = is_steady(state) & is_entry_made(state) & slave.ghost_was_brought_entry
    is_kept = implies(slave.copy.stage <= ANSWERED, slave.table.has_entry)
    is_owed = implies(slave.copy.stage > IDLE, slave.copy.ghost_is_entry_owed)
    return implies(is_brought, is_kept & is_owed)

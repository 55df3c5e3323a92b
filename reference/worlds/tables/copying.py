"""A slave copies its master's table: two halves of an answer, then version, clear, fill.

Source: SlaveSynchronize#syncTopicConfig, #syncSubscriptionGroupConfig of 4.4.0 (R-MS-05, R-MS-08).
From 5.1.1 on topics are not cleared, from 5.3.2 to 5.4.0 all entries are deleted and made again,
and from 5.5.0 on nothing is cleared (V-46).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import all_of, any_of, choose, negate
from reference.language.rule import RuleBody, replace_broker, rule, when
from reference.worlds.tables.changes import tick
from reference.worlds.tables.state import (
    ANSWERED,
    CLEARED,
    HALF_ANSWERED,
    IDLE,
    NO_CONTENT,
    NOBODY,
    VERSION_TAKEN,
    CopiedTables,
    Copy,
    Table,
    TableBroker,
    choose_table,
    has_version_of,
)


def get_other(broker: int) -> int:
    """The number of the other broker."""
    return 1 - broker


def get_asked_table(state: CopiedTables, broker: int, source: int) -> Table:
    """The table in the memory of the broker that is asked."""
    own, other = state.brokers[broker].table, state.brokers[get_other(broker)].table
    is_own = source == broker
    return choose_table(is_own, own, other)


def is_answering(state: CopiedTables, source: int) -> bool:
    """An address is known (R-MS-03), and a broker answers there."""
    return any_of(*((source == n) & b.is_up for n, b in enumerate(state.brokers)))


def is_at(own: TableBroker, stage: int) -> bool:
    """The broker runs, and its copy is at this stage."""
    return own.is_up & (own.copy.stage == stage)


def answer_half(state: CopiedTables, broker: int, source: int, *, is_version: bool) -> Table:
    """The answer extended by the version that the master has now, or by its content."""
    asked, table = get_asked_table(state, broker, source), state.brokers[broker].copy.table
    if is_version:
        return evolve(table, stamp=asked.stamp, counter=asked.counter)
    return evolve(table, content=asked.content, has_entry=asked.has_entry)


def continue_copy(state: CopiedTables, broker: int, copy: Copy) -> CopiedTables:
    """The state with a broker's copy at another stage."""
    return replace_broker(state, broker, evolve(state.brokers[broker], copy=copy))


def is_entry_made(state: CopiedTables) -> bool:
    """The creation of the followed entry is complete, and its deletion has not begun."""
    return state.ghost_is_made & negate(state.ghost_is_deleted)


@rule(
    who="slave",
    source="SlaveSynchronize#syncAll, AdminBrokerProcessor#processRequest",
    says="asks its master",
)
def begin_copy(state: CopiedTables, broker: int) -> RuleBody:
    """A slave asks its master, which writes the first half of its answer: the version."""
    own = state.brokers[broker]
    is_checked = state.structure.is_own_address_checked
    # ENABLED WHEN
    yield when(
        is_idle=is_at(own, IDLE),
        is_slave=negate(own.is_master),
        is_answering=is_answering(state, own.source),
        is_address_allowed=negate(own.source == broker) if is_checked else True,
    )
    # EFFECT
    is_version = not state.structure.is_table_written_first
    is_owed = is_entry_made(state)
    table = answer_half(state, broker, own.source, is_version=is_version)
    return continue_copy(state, broker, Copy(HALF_ANSWERED, own.source, table, is_owed))


@rule(who="master", source="AdminBrokerProcessor#getAllTopicConfig", says="completes the answer")
def finish_answer(state: CopiedTables, broker: int) -> RuleBody:
    """The master writes the other half of its answer: the table's content at this moment."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_half_answered=is_at(own, HALF_ANSWERED))
    # EFFECT
    is_version = state.structure.is_table_written_first
    table = answer_half(state, broker, own.copy.source, is_version=is_version)
    return continue_copy(state, broker, evolve(own.copy, stage=ANSWERED, table=table))


@rule(
    who="slave",
    source="SlaveSynchronize#syncAll, RemotingTimeoutException",
    weight=4,
    says="gets no answer",
)
def give_up_copy(state: CopiedTables, broker: int) -> RuleBody:
    """No answer within 3 s, or an error: logged, and retried with the next copy (R-MS-04)."""
    # ENABLED WHEN
    yield when(is_half_answered=is_at(state.brokers[broker], HALF_ANSWERED))
    # EFFECT
    return continue_copy(state, broker, Copy())


def is_version_equal(own: TableBroker) -> bool:
    """The answer has the version that the broker's table has."""
    return has_version_of(own.copy.table, own.table)


def complete_copy(state: CopiedTables, broker: int, own: TableBroker) -> CopiedTables:
    """The state after a copy has ended."""
    is_brought = own.ghost_was_brought_entry | own.copy.ghost_is_entry_owed
    done = evolve(own, copy=Copy(), ghost_was_brought_entry=is_brought)
    return replace_broker(state, broker, done)


@rule(who="slave", source="DataVersion#equals", says="same version, copies nothing")
def leave_table(state: CopiedTables, broker: int) -> RuleBody:
    """The versions are equal, so the slave's table stays as it is."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_answered=is_at(own, ANSWERED), is_version_equal=is_version_equal(own))
    # EFFECT
    return complete_copy(state, broker, own)


@rule(who="slave", source="DataVersion#assignNewOne", says="takes the version")
def take_version(state: CopiedTables, broker: int) -> RuleBody:
    """The slave's table gets the master's version."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_answered=is_at(own, ANSWERED), is_version_news=negate(is_version_equal(own)))
    # EFFECT
    table = evolve(own.table, stamp=own.copy.table.stamp, counter=own.copy.table.counter)
    taken = evolve(own, table=table, copy=evolve(own.copy, stage=VERSION_TAKEN))
    return replace_broker(state, broker, taken)


def discard_own_change(state: CopiedTables, broker: int, own: TableBroker) -> CopiedTables:
    """The state after a copy has replaced a slave's table; a change of its own is lost."""
    is_lost = state.ghost_is_slave_change_lost | own.ghost_has_own_change
    replaced = evolve(own, ghost_has_own_change=False)
    return evolve(replace_broker(state, broker, replaced), ghost_is_slave_change_lost=is_lost)


def make_version(state: CopiedTables, table: Table) -> Table:
    """The table with a version of its own, which no table had before (DataVersion#nextVersion)."""
    return evolve(table, stamp=state.ghost_clock, counter=table.counter + 1)


@rule(
    who="slave",
    source="ConcurrentHashMap#clear; TopicConfigManager#deleteTopicConfig at 5.3.2",
    says="empties its table",
)
def clear_table(state: CopiedTables, broker: int) -> RuleBody:
    """The slave clears its table; until it is filled, readers see an empty one.

    From 5.3.2 to 5.4.0 it deletes entry by entry, each with a version and a file; here at once.
    """
    own, is_remade = state.brokers[broker], state.structure.is_remade
    # ENABLED WHEN
    yield when(is_version_taken=is_at(own, VERSION_TAKEN))
    # EFFECT
    later = tick(state) if is_remade else state
    empty = evolve(own.table, content=NO_CONTENT, has_entry=False)
    table = make_version(later, empty) if is_remade else empty
    cleared = evolve(own, table=table, copy=evolve(own.copy, stage=CLEARED))
    written = evolve(cleared, file=table, backup=own.file) if is_remade else cleared
    return discard_own_change(later, broker, written)


@rule(
    who="slave",
    source="SlaveSynchronize#syncTopicConfig at 5.1.1",
    says="takes the entries, drops others",
)
def reconcile_table(state: CopiedTables, broker: int) -> RuleBody:
    """The slave drops what its master lacks, puts the rest, and writes its file (V-46).

    A change between the two halves is as one before or after: no reader misses a master's entry.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_version_taken=is_at(own, VERSION_TAKEN))
    # EFFECT
    answer = own.copy.table
    table = evolve(own.table, content=answer.content, has_entry=answer.has_entry)
    is_known = all_of(answer.has_entry, state.ghost_is_answered, negate(state.ghost_is_deleted))
    known = own.ghost_has_known_entry | is_known
    filled = evolve(own, table=table, file=table, backup=own.file, ghost_has_known_entry=known)
    discarded = discard_own_change(state, broker, filled)
    return complete_copy(discarded, broker, discarded.brokers[broker])


@rule(who="slave", source="ConcurrentHashMap#putAll, ConfigManager#persist", says="fills its table")
def fill_table(state: CopiedTables, broker: int) -> RuleBody:
    """The slave adds the master's entries to those put there since, and writes its file.

    From 5.3.2 to 5.4.0 it then makes a version of its own, so its table never has its master's.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_cleared=is_at(own, CLEARED))
    # EFFECT
    is_empty = own.table.content == NO_CONTENT
    mixed = state.ghost_contents + 1
    has_entry = own.table.has_entry | own.copy.table.has_entry
    content = choose(is_empty, own.copy.table.content, mixed)
    filled_up = evolve(own.table, content=content, has_entry=has_entry)
    later = tick(state) if state.structure.is_remade else state
    table = make_version(later, filled_up) if state.structure.is_remade else filled_up
    is_known = all_of(has_entry, state.ghost_is_answered, negate(state.ghost_is_deleted))
    known = own.ghost_has_known_entry | is_known
    filled = evolve(own, table=table, file=table, backup=own.file, ghost_has_known_entry=known)
    contents = choose(is_empty, state.ghost_contents, mixed)
    return complete_copy(evolve(later, ghost_contents=contents), broker, filled)


@rule(
    who="slave", source="BrokerController#doRegisterBrokerAll", weight=8, says="learns its master"
)
def learn_master(state: CopiedTables, broker: int) -> RuleBody:
    """A slave learns the listed master, or that there is none, when it registers (R-NS-03).

    The thread that registers is the one that copies (R-MS-01).
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_idle=is_at(own, IDLE), is_slave=negate(own.is_master))
    # EFFECT
    is_live = is_answering(state, state.listed_master)
    source = choose(is_live, state.listed_master, NOBODY)
    return replace_broker(state, broker, evolve(own, source=source))

"""Changes of a table in place: first the content, then the version and the file.

Source: TopicConfigManager#updateTopicConfig, #deleteTopicConfig and
SubscriptionGroupManager#updateSubscriptionGroupConfig, #findSubscriptionGroupConfig of 4.4.0.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, negate
from reference.language.rule import RuleBody, between, replace_broker, rule, when
from reference.worlds.tables.state import CopiedTables, Instant, Table, TableBroker


def is_free(broker: TableBroker) -> bool:
    """Its process runs and is not changing the table: changes follow one another."""
    return broker.is_up & negate(broker.is_changing)


def begin_change(state: CopiedTables, number: int, *, has_entry: bool) -> CopiedTables:
    """The state after a broker's table has received content that no table had before."""
    broker = state.brokers[number]
    content = state.ghost_contents + 1
    table = evolve(broker.table, content=content, has_entry=has_entry)
    changed = evolve(
        broker,
        table=table,
        is_changing=True,
        ghost_has_known_entry=broker.ghost_has_known_entry & has_entry,
    )
    return evolve(replace_broker(state, number, changed), ghost_contents=content)


@rule(
    who="administrator",
    source="TopicConfigManager#updateTopicConfig",
    weight=4,
    says="changes something else",
)
def change_on_master(state: CopiedTables, broker: int) -> RuleBody:
    """A master's table changes elsewhere: another entry is created, changed or deleted."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_free=is_free(own),
        is_master=own.is_master,
        is_below_modelled_end=state.ghost_contents < state.parameters.ghost_contents_max,
    )
    # EFFECT
    return begin_change(state, broker, has_entry=own.table.has_entry)


@rule(
    who="client",
    source="SubscriptionGroupManager#findSubscriptionGroupConfig",
    weight=4,
    says="is changed as a slave",
)
def change_on_slave(state: CopiedTables, broker: int) -> RuleBody:
    """A client's heartbeat or an administrator changes a slave's table (R-MS-09)."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_free=is_free(own),
        is_slave=negate(own.is_master),
        is_within_limit=is_within_limit(state, "slave_changes"),
    )
    # EFFECT
    changed = begin_change(state, broker, has_entry=own.table.has_entry)
    marked = evolve(changed.brokers[broker], ghost_has_own_change=True)
    counted: CopiedTables = count_fault(replace_broker(changed, broker, marked), "slave_changes")
    return counted


@rule(
    who="master",
    source="AdminBrokerProcessor#updateAndCreateTopic",
    weight=8,
    says="reports the entry as created",
)
def answer_creation(state: CopiedTables, broker: int) -> RuleBody:
    """A master reports to an administrator that a topic is created, and only then creates it."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_answered_first=state.structure.is_answered_first,
        is_up=own.is_up,
        is_master=own.is_master,
        is_new=negate(state.ghost_is_answered),
    )
    # EFFECT
    answering = replace_broker(state, broker, evolve(own, is_answering=True))
    return evolve(answering, ghost_is_answered=True, ghost_answered_by=broker)


@rule(
    who="master", source="TopicConfigManager#updateTopicConfig", weight=8, says="creates the entry"
)
def create_entry(state: CopiedTables, broker: int) -> RuleBody:
    """A master creates the followed entry, once."""
    own = state.brokers[broker]
    is_asked = own.is_answering if state.structure.is_answered_first else own.is_master
    # ENABLED WHEN
    yield when(is_free=is_free(own), is_asked=is_asked, is_new=negate(state.ghost_is_created))
    # EFFECT
    begun = begin_change(state, broker, has_entry=True)
    creating = evolve(begun.brokers[broker], is_answering=False, is_creating=True)
    created = replace_broker(begun, broker, creating)
    return evolve(created, ghost_is_created=True)


@rule(
    who="administrator",
    source="TopicConfigManager#deleteTopicConfig",
    weight=2,
    says="deletes the entry",
)
def delete_entry(state: CopiedTables, broker: int) -> RuleBody:
    """The master that has the followed entry deletes it."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_free=is_free(own),
        is_master=own.is_master,
        has_entry=own.table.has_entry,
        is_answered=state.ghost_is_answered,
    )
    # EFFECT
    changed = begin_change(state, broker, has_entry=False)
    brokers = tuple(
        evolve(b, ghost_has_known_entry=False, is_deleting=n == broker)
        for n, b in enumerate(changed.brokers)
    )
    return evolve(changed, brokers=brokers, ghost_is_deleted=True)


def complete_change(state: CopiedTables, number: int, stamp: Instant) -> CopiedTables:
    """The state after version and file are updated and the requesting administrator is answered.

    The file is written from memory as it is then, even in the middle of a copy.
    """
    own = state.brokers[number]
    table = evolve(own.table, stamp=stamp, counter=own.table.counter + 1)
    done = evolve(
        own,
        table=table,
        file=table,
        backup=own.file,
        is_changing=False,
        is_creating=False,
        is_deleting=False,
    )
    is_told = own.is_creating & negate(state.ghost_is_answered)
    return evolve(
        replace_broker(state, number, done),
        ghost_is_answered=state.ghost_is_answered | own.is_creating,
        ghost_answered_by=choose(is_told, number, state.ghost_answered_by),
        ghost_is_made=state.ghost_is_made | own.is_creating,
        ghost_is_deletion_answered=state.ghost_is_deletion_answered | own.is_deleting,
    )


def tick(state: CopiedTables) -> CopiedTables:
    """The state some time later."""
    return evolve(state, ghost_clock=state.ghost_clock + 1)


@rule(
    who="broker",
    source="DataVersion#nextVersion, ConfigManager#persist",
    says="updates version and file",
)
def finish_change(state: CopiedTables, broker: int) -> RuleBody:
    """The broker updates version and file after the content, and answers the request if any."""
    # ENABLED WHEN
    yield when(is_up=state.brokers[broker].is_up, is_changing=state.brokers[broker].is_changing)
    # EFFECT
    later = tick(state)
    return complete_change(later, broker, later.ghost_clock)


@rule(
    who="fault",
    source="DataVersion#nextVersion, System#currentTimeMillis",
    says="## CLOCK SHOWS {stamp} AGAIN",
)
def finish_change_at_used_instant(state: CopiedTables, broker: int) -> RuleBody:
    """The clock shows an instant that a version already has, perhaps on the other broker."""
    # ENABLED WHEN
    yield when(
        is_up=state.brokers[broker].is_up,
        is_changing=state.brokers[broker].is_changing,
        is_within_limit=is_within_limit(state, "clock_coincidences"),
    )
    stamp = yield between("stamp", 1, state.ghost_clock)
    # EFFECT
    counted: CopiedTables = count_fault(state, "clock_coincidences")
    return complete_change(counted, broker, stamp)


def make_table_without_file(state: CopiedTables) -> Table:
    """The initial table of a broker that finds no file; its content equals no other's."""
    return Table(state.ghost_clock + 1, content=state.ghost_contents + 1)

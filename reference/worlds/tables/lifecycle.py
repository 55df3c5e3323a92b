"""Brokers stop, start, fail and change roles; the name server lists one of them as master."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import any_of, choose, negate
from reference.language.rule import RuleBody, between, replace_broker, rule, when
from reference.worlds.tables.changes import is_free, make_table_without_file, tick
from reference.worlds.tables.state import (
    HALF_ANSWERED,
    IDLE,
    NOBODY,
    CopiedTables,
    Copy,
    TableBroker,
    choose_table,
)


@rule(who="master", source="RouteInfoManager#registerBroker", weight=4, says="registers as master")
def list_master(state: CopiedTables, broker: int) -> RuleBody:
    """A master registers under id 0: the last one to do so is listed (R-NS-02)."""
    # ENABLED WHEN
    yield when(is_up=state.brokers[broker].is_up, is_master=state.brokers[broker].is_master)
    # EFFECT
    return evolve(state, listed_master=broker)


@rule(who="name server", source="RouteInfoManager#scanNotActiveBroker", says="drops a dead master")
def drop_master(state: CopiedTables) -> RuleBody:
    """The name server notices that no broker is at the listed address any more (R-NS-05)."""
    # ENABLED WHEN
    yield when(
        is_listed_down=any_of(
            *((state.listed_master == n) & negate(b.is_up) for n, b in enumerate(state.brokers))
        )
    )
    # EFFECT
    return evolve(state, listed_master=NOBODY)


def end_process(state: CopiedTables, number: int) -> CopiedTables:
    """The state without a broker's process, whose file stays as it is.

    Files are written only at changes, not at the end. A broker waiting for its answer gets none.
    """
    brokers = tuple(forget_answer_of(b, number) for b in state.brokers)
    ended = evolve(
        state.brokers[number],
        table=state.brokers[number].file,
        is_up=False,
        is_answering=False,
        is_changing=False,
        is_creating=False,
        is_deleting=False,
        source=NOBODY,
        copy=Copy(),
        ghost_has_own_change=False,
        ghost_has_known_entry=False,
        ghost_was_brought_entry=False,
    )
    return replace_broker(evolve(state, brokers=brokers), number, ended)


def forget_answer_of(broker: TableBroker, source: int) -> TableBroker:
    """The broker without the partial answer that it has from a process that is gone."""
    copy = broker.copy
    is_dropped = (copy.stage == HALF_ANSWERED) & (copy.source == source)
    return evolve(broker, copy=evolve(copy, stage=choose(is_dropped, IDLE, copy.stage)))


def unregister(state: CopiedTables, broker: int) -> CopiedTables:
    """The state after a broker has unregistered: a master removes id 0, whichever broker has it.

    A slave removes its own id, and stays listed under 0 if it was a master before (B4-1006).
    """
    is_master = state.brokers[broker].is_master
    return evolve(state, listed_master=choose(is_master, NOBODY, state.listed_master))


def close_connection(state: CopiedTables, broker: int) -> CopiedTables:
    """The state after the name server saw the connection close: id 0 loses this address."""
    is_listed = state.listed_master == broker
    return evolve(state, listed_master=choose(is_listed, NOBODY, state.listed_master))


@rule(who="operator", source="BrokerController#shutdown", weight=2, says="stops cleanly")
def stop_broker(state: CopiedTables, broker: int) -> RuleBody:
    """A broker that is not in the middle of a change stops cleanly and unregisters."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_free=is_free(own),
        is_not_answering=negate(own.is_answering),
        is_within_limit=is_within_limit(state, "stops"),
    )
    # EFFECT
    stopped = end_process(unregister(state, broker), broker)
    counted: CopiedTables = count_fault(stopped, "stops")
    return counted


def start_process(state: CopiedTables, broker: int, *, is_master: bool) -> CopiedTables:
    """The state after a broker has read its file; a version that is not stored starts anew."""
    own, later = state.brokers[broker], tick(state)
    table = own.file
    if not state.structure.is_version_kept:
        table = evolve(table, stamp=later.ghost_clock, counter=0)
    started = evolve(own, is_up=True, is_master=is_master, table=table)
    return replace_broker(later, broker, started)


@rule(who="operator", source="BrokerController#initialize, ConfigManager#load", says="starts again")
def start_broker(state: CopiedTables, broker: int) -> RuleBody:
    """A broker restarts in the role that it had."""
    # ENABLED WHEN
    yield when(is_down=negate(state.brokers[broker].is_up))
    # EFFECT
    return start_process(state, broker, is_master=state.brokers[broker].is_master)


def forget_answer(state: CopiedTables, broker: int) -> CopiedTables:
    """Ghost bookkeeping: the broker that answered has another role now."""
    is_answering = state.ghost_answered_by == broker
    return evolve(state, ghost_answered_by=choose(is_answering, NOBODY, state.ghost_answered_by))


@rule(
    who="operator",
    source="BrokerController#initialize with another brokerRole",
    weight=16,
    says="starts in the other role",
)
def start_in_other_role(state: CopiedTables, broker: int) -> RuleBody:
    """A broker restarts in the other role: the only way between master and slave (R-NS-09)."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_down=negate(own.is_up), is_within_limit=is_within_limit(state, "role_changes"))
    # EFFECT
    forgotten = forget_answer(state, broker)
    started = start_process(forgotten, broker, is_master=negate(own.is_master))
    counted: CopiedTables = count_fault(started, "role_changes")
    return counted


@rule(
    who="operator",
    source="BrokerController#changeToMaster, #changeToSlave (4.5.0)",
    weight=1,
    says="changes its role",
)
def switch_role(state: CopiedTables, broker: int) -> RuleBody:
    """A running broker changes its role and forgets its master; a copy under way continues (V-01).

    ``handleSlaveSynchronize`` cancels the timer, but does not interrupt what it has started.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        has_role_switch=state.structure.has_role_switch,
        is_up=own.is_up,
        is_within_limit=is_within_limit(state, "role_changes"),
    )
    # EFFECT
    forgotten = forget_answer(state, broker)
    switched = evolve(own, is_master=negate(own.is_master), source=NOBODY)
    counted: CopiedTables = count_fault(replace_broker(forgotten, broker, switched), "role_changes")
    return counted


@rule(who="fault", source="kill -9 of the broker", says="## KILLED")
def kill_broker(state: CopiedTables, broker: int) -> RuleBody:
    """A broker's process is killed, and its connection to the name server closes."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_up=own.is_up, is_within_limit=is_within_limit(state, "kills"))
    # EFFECT
    killed = end_process(close_connection(state, broker), broker)
    counted: CopiedTables = count_fault(killed, "kills")
    return counted


def tell_power_loss(arguments: Mapping[str, int], state: CopiedTables) -> str:
    """The timeline's phrase for a power loss."""
    return "## POWER LOSS" + ("", ", OLD FILE", ", NO FILE")[arguments["writes_lost"]]


@rule(who="fault", source="power loss of the broker's machine", says=tell_power_loss)
def lose_power(state: CopiedTables, broker: int) -> RuleBody:
    """A broker's machine loses power; its file, never forced to disk, may be an old one, or gone.

    Its connection is not closed, so the name server lists it until it notices, or for good: if the
    broker has meanwhile registered in another role, the old entry is no longer checked.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_up=own.is_up, is_within_limit=is_within_limit(state, "power_losses"))
    writes_lost = yield between("writes_lost", 0, 2)
    # EFFECT
    new = make_table_without_file(state)
    later = evolve(tick(state), ghost_contents=new.content)
    kept = choose_table(writes_lost == 2, new, choose_table(writes_lost == 1, own.backup, own.file))
    off = end_process(replace_broker(later, broker, evolve(own, file=kept, backup=kept)), broker)
    counted: CopiedTables = count_fault(off, "power_losses")
    return counted

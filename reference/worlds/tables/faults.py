"""What goes wrong in the world of copied tables; each kind is counted."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.rule import RuleBody, between, replace_broker, rule, when
from reference.worlds.tables.changes import make_table_without_file, tick
from reference.worlds.tables.lifecycle import end_process, leave_name_server
from reference.worlds.tables.state import CopiedTables, choose_table


@rule(who="fault", source="kill -9 of the broker", says="## KILLED")
def kill_broker(state: CopiedTables, broker: int) -> RuleBody:
    """A broker's process is gone, and its connection to the name server with it."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_up=own.is_up, is_within_limit=is_within_limit(state, "kills"))
    # EFFECT
    killed = end_process(leave_name_server(state, broker), broker)
    counted: CopiedTables = count_fault(killed, "kills")
    return counted


def tell_power_loss(arguments: Mapping[str, int], state: CopiedTables) -> str:
    """What a power loss takes."""
    return "## POWER LOSS" + ("", ", OLD FILE", ", NO FILE")[arguments["writes_lost"]]


@rule(who="fault", source="power loss of the broker's machine", says=tell_power_loss)
def lose_power(state: CopiedTables, broker: int) -> RuleBody:
    """A broker's machine is off; its file, never forced to disk, may be the one before, or gone.

    Nobody closes its connection, so the name server lists it until it notices, or for good: if the
    broker has registered with another role by then, the old entry is not looked for any more.
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

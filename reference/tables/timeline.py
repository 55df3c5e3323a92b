"""The timeline of copied tables: two brokers with role, table and file, and what is listed.

A table is told as stamp.counter:content, with a ``+`` where it has the followed entry, memory
before file: ``M 3.1:2+/1.0:1``. A ``~`` behind it says that it is being changed or replaced. ``M``
and ``S`` are the roles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.machine import Action
from reference.tables.state import ANSWERED, CopiedTables, Table, TableBroker
from reference.tables.structure import NOBODY
from reference.timeline import LaneText, fill_lanes, fill_one_lane, list_lanes

WIDTHS = (46, 46, 24)
NAME_SERVER = 2

Phrase = Callable[[Mapping[str, int]], str]

PHRASES: Mapping[str, Phrase] = {
    "change_on_master": lambda a: "changes something else",
    "change_on_slave": lambda a: "is changed as a slave",
    "answer_creation": lambda a: "says that the entry is there",
    "create_entry": lambda a: "creates the entry",
    "delete_entry": lambda a: "deletes the entry",
    "finish_change": lambda a: "version and file follow",
    "finish_change_at_used_instant": lambda a: f"## CLOCK SHOWS {a['stamp']} AGAIN",
    "begin_copy": lambda a: "asks its master",
    "finish_answer": lambda a: "has the answer",
    "give_up_copy": lambda a: "gets no answer",
    "leave_table": lambda a: "same version, copies nothing",
    "take_version": lambda a: "takes the version",
    "clear_table": lambda a: "empties its table",
    "fill_table": lambda a: "fills its table",
    "learn_master": lambda a: "registers, is told",
    "list_master": lambda a: "registers as master",
    "drop_master": lambda a: "drops who is gone",
    "stop_broker": lambda a: "stops in order",
    "start_broker": lambda a: "starts again",
    "start_in_other_role": lambda a: "starts in the other role",
    "switch_role": lambda a: "changes its role",
    "kill_broker": lambda a: "## KILLED",
    "lose_power": lambda a: "## POWER LOSS" + ("", ", OLD FILE", ", NO FILE")[a["writes_lost"]],
}
"""What a step looks like in its broker's lane, or in the name server's."""


@list_lanes.register
def _(state: CopiedTables) -> tuple[tuple[str, int], ...]:
    return tuple(zip(("broker 0", "broker 1", "name server"), WIDTHS, strict=True))


@fill_lanes.register
def _(state: CopiedTables, action: Action) -> tuple[LaneText, ...]:
    lane = NAME_SERVER if action.index is None else action.index
    listed = "-" if state.listed_master == NOBODY else str(state.listed_master)
    states = (*map(draw_broker, state.brokers), f"lists {listed}")
    return fill_one_lane(lane, PHRASES[action.rule_name](action.arguments), states)


def draw_broker(broker: TableBroker) -> str:
    """Its role, table and file; of a broker that is down only the file."""
    role, file = "M" if broker.is_master else "S", draw_table(broker.file)
    if not broker.is_up:
        return f"{role} down/{file}"
    is_moving = broker.is_changing or broker.copy.stage > ANSWERED
    return f"{role} {draw_table(broker.table)}{'~' if is_moving else ''}/{file}"


def draw_table(table: Table) -> str:
    """Version and content, and whether the followed entry is in it."""
    return f"{table.stamp}.{table.counter}:{table.content}{'+' if table.has_entry else ''}"

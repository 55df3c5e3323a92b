"""The timeline of copied tables: two brokers with role, table and file, and what is listed.

A table is told as stamp.counter:content, with a ``+`` where it has the followed entry, memory
before file: ``M 3.1:2+/1.0:1``. A ``~`` behind it says that it is being changed or replaced. ``M``
and ``S`` are the roles.
"""

from __future__ import annotations

from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.worlds.tables.parameters import NOBODY
from reference.worlds.tables.state import ANSWERED, CopiedTables, Table, TableBroker

WIDTHS = (46, 46, 24)
NAME_SERVER = 2


def list_lanes(state: CopiedTables) -> tuple[tuple[str, int], ...]:
    """Both brokers and the name server."""
    return tuple(zip(("broker 0", "broker 1", "name server"), WIDTHS, strict=True))


def fill_lanes(state: CopiedTables, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step, and what it has afterwards."""
    lane = NAME_SERVER if step.index is None else step.index
    listed = "-" if state.listed_master == NOBODY else str(state.listed_master)
    states = (*map(draw_broker, state.brokers), f"lists {listed}")
    phrase = state.structure.rules[step.rule_name].tell(step.arguments, state)
    return fill_one_lane(lane, phrase, states)


def list_running(state: CopiedTables) -> tuple[bool, ...]:
    """For each lane whether its node runs; the name server does."""
    return (*(broker.is_up for broker in state.brokers), True)


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


LANES = Lanes(list_lanes, fill_lanes, list_running)

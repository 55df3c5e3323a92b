"""Copied tables: their structures, rules, initial state and lanes.

A table is shown as stamp.counter:content, with a ``+`` if it has the followed entry, memory before
file: ``M 3.1:2+/1.0:1``. A ``~`` after it means that it is being changed or replaced. ``M`` and
``S`` are the roles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.worlds.tables import changes, copying, lifecycle
from reference.worlds.tables.shape import TablesShape
from reference.worlds.tables.state import (
    ANSWERED,
    NOBODY,
    CopiedTables,
    Table,
    TableBroker,
    TablesParameters,
)

WIDTHS = (46, 46, 24)
NAME_SERVER = 2


def list_lanes(state: CopiedTables) -> tuple[tuple[str, int], ...]:
    """Both brokers and the name server."""
    return tuple(zip(("broker 0", "broker 1", "name server"), WIDTHS, strict=True))


def fill_lanes(state: CopiedTables, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step, and its state afterwards."""
    lane = NAME_SERVER if step.index is None else step.index
    listed = "-" if state.listed_master == NOBODY else str(state.listed_master)
    states = (*map(draw_broker, state.brokers), f"lists {listed}")
    phrase = state.structure.rules[step.rule_name].tell(step.arguments, state)
    return fill_one_lane(lane, phrase, states)


def list_running(state: CopiedTables) -> tuple[bool, ...]:
    """Whether the node of each lane is running; the name server always is."""
    return (*(broker.is_up for broker in state.brokers), True)


def draw_broker(broker: TableBroker) -> str:
    """Its role, table and file; only the file if the broker is down."""
    role, file = "M" if broker.is_master else "S", draw_table(broker.file)
    if not broker.is_up:
        return f"{role} down/{file}"
    is_moving = broker.is_changing or broker.copy.stage > ANSWERED
    return f"{role} {draw_table(broker.table)}{'~' if is_moving else ''}/{file}"


def draw_table(table: Table) -> str:
    """Version and content, and whether it has the followed entry."""
    return f"{table.stamp}.{table.counter}:{table.content}{'+' if table.has_entry else ''}"


LANES = Lanes(list_lanes, fill_lanes, list_running)


TABLES_RULES: dict[str, Rule] = collect_rules(changes, copying, lifecycle)
"""Every rule of this world by name, in the order of the book."""

CLEARING, RECONCILING = ("clear_table", "fill_table"), ("reconcile_table",)
"""The rules of the two ways to replace a table; a structure has one of them."""


@frozen(cache_hash=True)
class TablesStructure(TablesShape):
    """The kind of table, and the form of RocketMQ."""

    usual_parameters: ClassVar[TablesParameters] = TablesParameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules of this world but those of the other way to replace a table."""
        others = CLEARING if self.is_reconciled else RECONCILING
        return {name: rule for name, rule in TABLES_RULES.items() if name not in others}

    @property
    def index_counts(self) -> Mapping[str, int]:
        """The master and its slave."""
        return {"broker": 2}

    def make_initial(self, parameters: TablesParameters) -> CopiedTables:
        """Both brokers up with the initial table of every broker, each with its own version."""
        master, slave = Table(stamp=1), Table(stamp=2)
        brokers = (
            TableBroker(is_up=True, is_master=True, table=master, file=master, backup=master),
            TableBroker(is_up=True, is_master=False, table=slave, file=slave, backup=slave),
        )
        return CopiedTables(self, parameters, brokers)

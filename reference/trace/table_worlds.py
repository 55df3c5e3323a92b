"""What the tables of recorded brokers may be: every history that fits the events so far.

Brokers also register, copy and persist by themselves, and no event tells when. So a recording has
several possible histories, the *worlds*; each event keeps those that agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from attrs import evolve, field, frozen

from reference.metadata.broker_tables import BrokerTables, DelayOffsets
from reference.metadata.copying import STEPS, is_master_known
from reference.metadata.forms import FORM_4_4_0
from reference.name_server.broker_side import Addresses, learn
from reference.name_server.registry import Answer, Registry

START_LONGEST_MS = 5_000.0
"""So long before its start is seen, a broker may have begun to count the time of its timers."""
FIRST_PERSIST_MS = 10_000.0
"""From there to the first time that progress and delay offsets are written (R-CO-03, R-BR-05)."""
FIRST_REGISTRATION_MS = 10_000.0
"""From there to the first periodic registration (R-NS-01)."""


@frozen
class NodeTables:
    """One broker in one world."""

    tables: BrokerTables
    ha_master: str | None = None
    """Where a slave copies the log from, as far as it has learnt it."""
    copies: int = 0
    """How many of its own copies have begun."""
    steps_left: tuple[str, ...] = ()
    """Steps of the copy under way."""

    def tell(self, answer: Answer) -> NodeTables:
        """After a registration with this answer (R-NS-03)."""
        known = learn(Addresses(self.tables.master_address, self.ha_master), (answer,))
        tables = evolve(self.tables, master_address=known.master)
        return evolve(self, tables=tables, ha_master=known.ha_master)


World: TypeAlias = Mapping[str, NodeTables]
"""By the broker's name."""


@frozen
class TableSide:
    """What is known of the tables of all brokers."""

    worlds: tuple[World, ...] = ({},)
    registry: Registry = field(factory=Registry)
    started_ms: Mapping[str, float] = field(factory=dict)
    """When each broker was seen to start."""
    delayed: DelayOffsets = field(factory=dict)
    """By level: how many delayed messages the master has taken."""


@frozen
class Surroundings:
    """What decides which hidden steps are possible at an event."""

    now_ms: float
    started_ms: Mapping[str, float]
    master: str
    is_master_there: bool
    """It answers requests."""
    answers: tuple[Answer, ...]
    """What a slave may be told of its master."""
    delayed: DelayOffsets

    def is_due(self, name: str, delay_ms: float) -> bool:
        """A timer of a broker may have fired."""
        begun_ms = self.started_ms[name] - START_LONGEST_MS
        return self.now_ms >= begun_ms + delay_ms


def close(worlds: Iterable[World], surroundings: Surroundings) -> tuple[World, ...]:
    """The worlds, and every one that hidden steps may have made of them."""
    found: list[World] = []
    waiting = list(worlds)
    while waiting:
        world = waiting.pop()
        if world not in found:
            found.append(world)
            waiting += list_hidden_steps(world, surroundings)
    return tuple(found)


def list_hidden_steps(world: World, surroundings: Surroundings) -> Iterator[World]:
    """What one hidden step makes of a world."""
    for name, node in world.items():
        if name not in surroundings.started_ms:
            continue
        if surroundings.is_due(name, FIRST_PERSIST_MS):
            yield change_tables(world, name, node.tables.persist_offsets())
        if name == surroundings.master:
            yield from list_deliveries(world, name, surroundings)
        else:
            yield from list_slave_steps(world, name, surroundings)


def list_deliveries(world: World, name: str, surroundings: Surroundings) -> Iterator[World]:
    """The master delivers one more delayed message, or writes how far it is (R-BR-05)."""
    tables = world[name].tables
    if surroundings.is_due(name, FIRST_PERSIST_MS):
        yield change_tables(world, name, tables.persist_delay())
    for level, count in surroundings.delayed.items():
        following = tables.delay_offsets.get(level, -1) + 1
        if following <= count:
            offsets = {**tables.delay_offsets, level: following}
            yield change_tables(world, name, evolve(tables, delay_offsets=offsets))


def list_slave_steps(world: World, name: str, surroundings: Surroundings) -> Iterator[World]:
    """A slave registers, begins a copy, or makes a step of it."""
    node = world[name]
    if surroundings.is_due(name, FIRST_REGISTRATION_MS):
        for answer in surroundings.answers:
            yield {**world, name: node.tell(answer)}
    if not node.steps_left:
        if surroundings.is_due(name, FORM_4_4_0.compute_copy_ms(node.copies)):
            begun = evolve(node, copies=node.copies + 1, steps_left=tuple(STEPS))
            yield {**world, name: begun}
    elif surroundings.is_master_there and is_master_known(node.tables):
        step, *rest = node.steps_left
        instants = STEPS[step](node.tables, world[surroundings.master].tables)
        for tables in (node.tables, *instants)[-1:]:
            yield {**world, name: evolve(node, tables=tables, steps_left=tuple(rest))}


def change_tables(world: World, name: str, tables: BrokerTables) -> World:
    """A world with other tables of one broker."""
    return {**world, name: evolve(world[name], tables=tables)}

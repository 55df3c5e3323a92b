"""A world of one tank, for tests: it is filled while there is room, and drained by a fault."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve, field, frozen

from properties.world import World, make_columns, register_world
from reference.fault_account import count_fault, is_within_limit
from reference.operations import negate
from reference.rule import RuleBody, between, rule, when
from reference.structure import Count, Flag
from reference.world import Pair, count_indexes, make_initial, make_registry, make_template


@frozen
class TankStructure(Pair):
    """There is one tank only."""

    name: str = "tank"


@frozen
class TankFaults:
    """What may befall the tank."""

    leaks: Count = 0
    """It loses what it holds."""


@frozen
class TankParameters:
    """What it can hold."""

    room: Count = 10
    limits: TankFaults = TankFaults()


@frozen
class Tank:
    """What it holds, and whether its tap is open."""

    structure: TankStructure = field(metadata={"static": True})
    parameters: TankParameters
    level: Count = 0
    is_open: Flag = False
    faults: TankFaults = field(factory=TankFaults)


RULES = make_registry(TankStructure)


@rule(who="operator", source="toy", into=RULES)
def turn_tap(tank: Tank) -> RuleBody:
    """The tap is opened."""
    yield when(is_closed=negate(tank.is_open))
    return evolve(tank, is_open=True)


@rule(who="operator", source="toy", into=RULES)
def fill(tank: Tank) -> RuleBody:
    """Some of the room that is left is filled."""
    yield when(is_open=tank.is_open, has_room=tank.level < tank.parameters.room)
    amount = yield between("amount", 1, tank.parameters.room - tank.level)
    return evolve(tank, level=tank.level + amount)


@rule(who="fault", source="toy", into=RULES)
def leak(tank: Tank) -> RuleBody:
    """All of it is gone."""
    yield when(
        has_something=0 < tank.level,
        is_within_limit=is_within_limit(tank, "leaks"),
    )
    emptied: Tank = count_fault(evolve(tank, level=0), "leaks")
    return emptied


@make_initial.register
def _(structure: TankStructure, parameters: TankParameters) -> Tank:
    return Tank(structure, parameters)


@make_template.register
def _(structure: TankStructure) -> Tank:
    return Tank(structure, TankParameters())


@count_indexes.register
def _(structure: TankStructure) -> dict[str, int]:
    return {}


TANK = register_world(
    World(
        name="tank",
        structures=(TankStructure(),),
        rules=RULES,
        counts=TankFaults,
        columns=make_columns(TankFaults, {}),
        small=TankParameters(room=2),
        folder=Path(__file__).parent,
        chapter="tank.md",
    )
)


@TANK.lemma(why="Else it overflows.")
def level_is_in_range(tank: Tank) -> bool:
    """What it holds is never negative, nor more than it can hold."""
    return (tank.level >= 0) & (tank.level <= tank.parameters.room)


@TANK.guarantee(why="Nobody wants a wet floor.", premise=lambda tank: tank.level > 0)
def tank_never_overflows(tank: Tank) -> bool:
    """It never holds more than it can hold."""
    return tank.level <= tank.parameters.room


@TANK.guarantee(why="A level has a meaning.", premise=lambda tank: tank.level > 0)
def level_is_never_negative(tank: Tank) -> bool:
    """It never holds less than nothing."""
    return tank.level >= 0

"""A toy: a tank that is filled while its tap is open and there is room, and emptied by a leak.

Two leaves and three rules are a whole world. ``spec/tutorial.md`` explains it line by line, and the
tests of the engines run on it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve, field, frozen

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.leaves import Count, Flag
from reference.language.operators import negate
from reference.language.parameters import BaseFaults, BaseParameters
from reference.language.rule import Rule, RuleBody, between, collect_rules, rule, when
from reference.language.structure import BaseStructure


@frozen
class TankFaults(BaseFaults):
    """Faults of the tank."""

    leaks: Count = 0
    """It loses its content."""


@frozen
class TankParameters(BaseParameters):
    """Constant in a run, symbolic in a proof."""

    room: Count = 10
    """Its capacity."""
    limits: TankFaults = TankFaults()
    """How often each fault may happen."""


@frozen
class Tank:
    """Its content, and whether its tap is open."""

    structure: TankStructure = field(metadata={"static": True})
    parameters: TankParameters
    level: Count = 0
    is_open: Flag = False
    faults: TankFaults = field(factory=TankFaults)


@rule(who="operator", source="toy", says="the tap is opened")
def turn_tap(tank: Tank) -> RuleBody:
    """The operator opens the tap."""
    # ENABLED WHEN
    yield when(is_closed=negate(tank.is_open))
    # EFFECT
    return evolve(tank, is_open=True)


@rule(who="operator", source="toy", says="{amount} more")
def fill(tank: Tank) -> RuleBody:
    """The operator fills some of the room that is left."""
    # ENABLED WHEN
    yield when(is_open=tank.is_open, has_room=tank.level < tank.parameters.room)
    amount = yield between("amount", 1, tank.parameters.room - tank.level)
    # EFFECT
    return evolve(tank, level=tank.level + amount)


@rule(who="fault", source="toy", says="## LEAKS")
def leak(tank: Tank) -> RuleBody:
    """The tank loses all its content."""
    # ENABLED WHEN
    yield when(
        has_something=0 < tank.level,
        is_within_limit=is_within_limit(tank, "leaks"),
    )
    # EFFECT
    emptied: Tank = count_fault(evolve(tank, level=0), "leaks")
    return emptied


TANK_RULES: Mapping[str, Rule] = collect_rules(sys.modules[__name__])


@frozen
class TankStructure(BaseStructure):
    """There is only one tank."""

    name: str = "toy/tank"
    """Its public name."""

    usual_parameters: ClassVar[TankParameters] = TankParameters()

    @property
    def rules(self) -> Mapping[str, Rule]:
        """All rules of this world, in every structure."""
        return TANK_RULES

    def make_initial(self, parameters: TankParameters) -> Tank:
        """Empty, with its tap closed."""
        return Tank(self, parameters)

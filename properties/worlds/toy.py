"""The toy's claims, and the lemmas that their proofs need."""

from __future__ import annotations

import sys
from pathlib import Path

from attrs import frozen

from properties.language.property import collect_properties, guarantee, lemma
from properties.language.world import ClaimedStructure, World, make_fault_models, make_sizes
from reference.language.fault_account import has_faults_within_limits
from reference.worlds.toy import Tank, TankFaults, TankParameters, TankStructure


def has_something(tank: Tank) -> bool:
    """The tank is not empty."""
    return tank.level > 0


@guarantee(why="The floor should stay dry.", premise=has_something)
def tank_never_overflows(tank: Tank) -> bool:
    """The tank never holds more than its capacity."""
    return tank.level <= tank.parameters.room


@guarantee(why="A negative level has no meaning.", premise=has_something)
def level_is_never_negative(tank: Tank) -> bool:
    """The level is never below zero."""
    return tank.level >= 0


@guarantee(why="What was filled in should stay.", premise=has_something)
def tank_never_leaks(tank: Tank) -> bool:
    """The tank never loses what it held."""
    return tank.faults.leaks == 0


@lemma(why="Else the tank overflows.")
def level_is_in_range(tank: Tank) -> bool:
    """The level is never negative, nor above the capacity."""
    return (tank.level >= 0) & (tank.level <= tank.parameters.room)


@lemma(why="Else a fault that cannot happen has happened.")
def fault_counts_are_within_limits(tank: Tank) -> bool:
    """No fault happens more often than its limit."""
    return has_faults_within_limits(tank)


@frozen
class ClaimedTank(TankStructure, ClaimedStructure):
    """A tank, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return TOY


TOY = World(
    name="toy",
    structures=(ClaimedTank(),),
    properties=collect_properties(sys.modules[__name__]),
    fault_models=make_fault_models(TankFaults, {}),
    sizes=make_sizes(TankParameters(room=2)),
    folder=Path(__file__).parent,
    chapter="tutorial.md",
)

"""The complete world of starts."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from properties.language.property import collect_properties
from properties.language.world import (
    ClaimedStructure,
    Numbers,
    World,
    make_fault_models,
    make_sizes,
)
from properties.worlds.starts import guarantee, lemma
from reference.worlds.starts.state import PHASE_NAMES, STAGE_NAMES, StartsFaults, StartsParameters
from reference.worlds.starts.structure import REFUSING, STARTS_RULES, StartsStructure


@frozen(cache_hash=True)
class ClaimedStarts(StartsStructure, ClaimedStructure):
    """A broker that ends and starts, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return STARTS


STARTS_STRUCTURES = (
    ClaimedStarts(),
    ClaimedStarts(is_short_file_refused=True),
    ClaimedStarts(is_short_file_refused=True, is_empty_queue_file_refused=True),
    ClaimedStarts(is_empty_queue_file_refused=True),
    ClaimedStarts(is_empty_queue_file_refused=True, is_dispatched_when_flushed=True),
)
"""Every structure of this world."""

STARTS = World(
    name="starts",
    structures=STARTS_STRUCTURES,
    properties=collect_properties(guarantee, lemma),
    fault_models=make_fault_models(
        StartsFaults,
        {
            "stop": ("stops",),
            "kill": ("kills",),
            "kill in file creation": ("kills_in_file_creation",),
            "power loss": ("power_losses",),
        },
    ),
    sizes=make_sizes(StartsParameters()),
    folder=Path(__file__).parent,
    chapter="starts.md",
    later_rules={name: STARTS_RULES[name] for name in REFUSING},
    numbers=Numbers(codes={"phase": PHASE_NAMES, "stage": STAGE_NAMES, "disk_stage": STAGE_NAMES}),
)

"""The complete world of delayed delivery, with an administrator's manual steps on its files."""

from __future__ import annotations

import sys
from pathlib import Path

from attrs import evolve, frozen

from properties.language.property import collect_properties
from properties.language.world import ClaimedStructure, World, make_fault_models, make_sizes
from properties.worlds.delay import guarantee, lemma
from reference.language.operators import all_of, negate
from reference.language.rule import RuleBody, collect_rules, replace_broker, rule, when
from reference.worlds.delay.state import SMALL_DELAY, Delay, DelayFaults
from reference.worlds.delay.structure import DelayStructure


@rule(who="operator", source="removal of config/delayOffset.json and its backup")
def remove_delay_file(state: Delay, broker: int) -> RuleBody:
    """A slave's file of delayed delivery's progress is removed; a promotion reads it first."""
    # ENABLED WHEN
    yield when(is_not_promoted=all_of(negate(state.is_promoted), broker > 0))
    # EFFECT
    return replace_broker(state, broker, evolve(state.brokers[broker], file=0))


@frozen(cache_hash=True)
class ClaimedDelay(DelayStructure, ClaimedStructure):
    """Brokers that deliver delayed messages, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return DELAY


DELAY_STRUCTURES = (ClaimedDelay(), ClaimedDelay(is_corrected_at_start=True))
"""Every structure of this world."""

DELAY = World(
    name="delay",
    structures=DELAY_STRUCTURES,
    properties=collect_properties(guarantee, lemma),
    fault_models=make_fault_models(
        DelayFaults,
        {
            "stop": ("stops",),
            "kill": ("kills",),
            "power loss": ("power_losses",),
            "promotion": ("stops", "promotions"),
        },
    ),
    sizes=make_sizes(
        SMALL_DELAY,
        swarm=tuple(
            evolve(SMALL_DELAY, ghost_queue_size_max=size, ghost_followed=followed)
            for size in (1, 2, 4)
            for followed in range(size)
        ),
    ),
    folder=Path(__file__).parent,
    chapter="delay.md",
    manual_rules=collect_rules(sys.modules[__name__]),
)

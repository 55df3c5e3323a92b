"""The complete world of replication."""

from __future__ import annotations

from pathlib import Path

from properties.language.property import collect_properties
from properties.language.world import World
from properties.worlds.replication import (
    change_lemmas,
    controller_lemmas,
    convergence,
    guarantees,
    lemmas,
    manual_steps,
    pool_lemmas,
    sanity_checks,
    witnesses,
)
from properties.worlds.replication.fault_models import EVERYTHING, FAULT_MODELS, SIZES
from properties.worlds.replication.healing import get_healing
from properties.worlds.replication.structures import (
    CERTIFIED_STRUCTURES,
    list_related_structures,
    locate_certificate,
    make_code,
)
from reference.language.rule import collect_rules
from reference.worlds.replication.parameters import clip_sizes

GUARANTEES = collect_properties(guarantees)
CONVERGENCE = collect_properties(convergence)
CLAIMS = {**GUARANTEES, **CONVERGENCE}
SANITY_CHECKS = collect_properties(sanity_checks)
LEMMAS = collect_properties(lemmas)
CHANGE_LEMMAS = collect_properties(controller_lemmas, change_lemmas, pool_lemmas)
"""The lemmas that only the proofs of some variants need."""
WITNESSES = collect_properties(witnesses)

REPLICATION = World(
    name="replication",
    structures=CERTIFIED_STRUCTURES,
    claims=CLAIMS,
    lemmas={**SANITY_CHECKS, **LEMMAS, **CHANGE_LEMMAS},
    fault_models=FAULT_MODELS,
    everything=EVERYTHING,
    sizes=SIZES,
    folder=Path(__file__).parent,
    chapter="guarantees.md",
    witnesses=WITNESSES,
    get_healing=get_healing,
    compute_stage=witnesses.compute_stage,
    locate=locate_certificate,
    make_code=make_code,
    list_related_structures=list_related_structures,
    clip_sizes=clip_sizes,
    manual_rules=collect_rules(manual_steps),
)

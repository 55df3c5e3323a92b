"""Random schedules for the cells that a bounded search leaves open: too deep for it, not for them.

A certificate may leave cells of a variant or a release open. Schedules with the sizes and fault
limits of a search are walked until some violate the claim; they are shortened by the reference, and
the shortest is written into the certificate, where every check replays it.
``python -m spark_fuzz.hunt --release 4.9.3`` hunts for all open cells of a release.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from properties import certificates
from properties.judgement import (
    find_refuting_part,
    is_refuted_by,
    lower_numbers,
    shorten_refutation,
)
from properties.property import PropertyRole
from properties.verdict import Verdict, VerdictWord
from properties.worlds import find_world
from properties.worlds.replication.structures import CERTIFIED_BY_NAME, RELEASED_STRUCTURES
from reference.machine import Action
from reference.variants import VARIANTS
from reference.version import RULE_SETS
from spark_fuzz.kernel import Kernel, compile_kernel
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_whole

BATCH = 50_000
"""Schedules that are walked at once."""
SHORTENED_MAX = 24
"""So many violating schedules are shortened, and the shortest is kept."""
STEPS, HEALING_STEPS = 64, 256


@frozen
class HuntOptions(CampaignOptions):
    """A campaign with the sizes of a search, so that what it finds fits into a certificate."""

    @property
    def parameters(self) -> Any:
        """The sizes of a search, under the fault limits of this hunt."""
        return evolve(find_world(self.structure).sizes.search, limits=self.limits)


def hunt(structure: Any, verdict: Verdict, schedules: int) -> Verdict:
    """The cell with the shortest of the schedules found that refute it; as it was if none is."""
    fault_class = find_world(structure).get_column(verdict.fault)
    options = HuntOptions(
        structure, fault_class.search_limits, steps=STEPS, healing_steps=HEALING_STEPS
    )
    kernel = compile_kernel(structure)
    found = (
        shorten(options, verdict.guarantee, number)
        for first in range(0, schedules, BATCH)
        for number in find_violating(kernel, options, verdict.guarantee, first)
    )
    shortened = [schedule for schedule, _ in zip(found, range(SHORTENED_MAX), strict=False)]
    if not shortened:
        return verdict
    word = VerdictWord.REFUTED
    return evolve(verdict, word=word, schedule=min(shortened, key=len), depth=None, note="")


def find_violating(
    kernel: Kernel, options: CampaignOptions, claim: str, first: int
) -> Iterator[int]:
    """The numbers of a batch's schedules that violate a claim, on their way or at rest."""
    batch = kernel.run(options, first, BATCH)
    if find_world(options.structure).claims[claim].role is PropertyRole.CONVERGENCE:
        is_stuck = kernel.unpack_stuck(batch.stuck)
        rows = is_stuck[:, list(kernel.layout.claims_about_rest).index(claim)]
    else:
        rows = batch.violations[:, list(kernel.layout.guarantees).index(claim)] >= 0
    yield from (first + int(row) for row in np.flatnonzero(rows))


def shorten(options: CampaignOptions, claim: str, number: int) -> tuple[Action, ...]:
    """The part of a schedule that refutes a claim, with as small numbers as do."""
    structure, parameters = options.structure, options.parameters
    actions = [s.action for s in replay_whole(options, number).steps if s.action is not None]
    part = find_refuting_part(claim, structure, parameters, actions) or actions

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(claim, structure, parameters, trial)

    shortest = shorten_refutation(claim, structure, parameters, part)
    while True:
        lowered = lower_numbers(shortest, is_refuting)
        shortest = shorten_refutation(claim, structure, parameters, lowered)
        if shortest == lowered:
            return shortest


def hunt_all(structure: Any, schedules: int) -> tuple[Verdict, ...]:
    """Every cell of a structure's certificate, which is rewritten, what was open hunted for."""
    document = certificates.load_required(structure)
    decided: list[Verdict] = []
    for cell in certificates.decode_cells(structure, document):
        is_open = cell.word is VerdictWord.UNDECIDED
        decided.append(decide(structure, cell, decided, schedules) if is_open else cell)
    lemmas = tuple(document["inductive_set"])
    certificates.save(structure, tuple(evolve(v, lemmas=lemmas) for v in decided))
    return tuple(decided)


def decide(structure: Any, cell: Verdict, decided: Sequence[Verdict], schedules: int) -> Verdict:
    """An open cell, refuted by what refutes under fewer faults, or by what a hunt finds."""
    column = find_world(structure).get_column(cell.fault)
    weaker = [
        v
        for v in decided
        if v.guarantee == cell.guarantee
        and v.word is VerdictWord.REFUTED
        and find_world(structure).get_column(v.fault).is_contained_in(column)
    ]
    if weaker:
        return evolve(min(weaker, key=lambda v: len(v.schedule)), fault=cell.fault)
    return hunt(structure, cell, schedules)


def main() -> None:
    """Hunt for what the certificates of a release or variant leave open."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", required=True, choices=[*RULE_SETS, *VARIANTS])
    parser.add_argument("--structure", action="append", choices=CERTIFIED_BY_NAME)
    parser.add_argument("--schedules", type=int, default=2_000_000)
    asked = parser.parse_args()
    for name in asked.structure or [s.name for s in RELEASED_STRUCTURES]:
        structure = evolve(CERTIFIED_BY_NAME[name], variants=(asked.release,))
        cells = hunt_all(structure, asked.schedules)
        left = [v for v in cells if v.word is VerdictWord.UNDECIDED]
        print(f"{structure.name}: {len(left)} cells are left open")
        for v in left:
            print(f"  {v.guarantee}, {v.fault}")


if __name__ == "__main__":
    main()

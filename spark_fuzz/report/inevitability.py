"""From which step on a violation was inevitable: an estimate from random continuations.

After each step of a schedule the compiled kernel goes on at random, many times, while nothing
more strikes: every fault may strike as often as it has by then, and no more. Where each
continuation comes to violate the guarantee, what lies ahead takes no further fault. That is no
proof: a rare continuation that goes well may not have been drawn, and one that would violate
later may have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from properties.schedules.judgement import replay
from reference.language.machine import Action
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.kernel import Kernel, compile_kernel
from spark_fuzz.report.class_files import Continuations

CONTINUATIONS = 300
"""How many continuations are drawn after each step. When all of them violate, then with 95 per cent
confidence fewer than one in a hundred does not (1 - 0.05 ** (1 / 300))."""
CONTINUATION_STEPS = 256
"""The most steps that a continuation goes on for."""


def sample_continuations(
    guarantee: str,
    structure: Any,
    parameters: Any,
    schedule: Sequence[Action],
    drawn: int = CONTINUATIONS,
) -> Continuations:
    """Continue a schedule, whose last step violates the guarantee, after each of its steps.

    Seeded: the same schedule has the same continuations. Raises ScheduleError for a schedule that
    is impossible under these parameters.
    """
    kernel = compile_kernel(structure)
    steps = list(replay(structure, parameters, schedule, (guarantee,)))
    violating = [
        drawn if step.violated else count_violating(kernel, guarantee, step.cluster, drawn)
        for step in steps
    ]
    return Continuations(tuple(violating), drawn)


def count_violating(kernel: Kernel, guarantee: str, state: Any, drawn: int) -> int:
    """How many of so many continuations of a state, without a further fault, come to violate."""
    quiet = evolve(state, parameters=evolve(state.parameters, limits=state.faults))
    options = CampaignOptions(
        kernel.structure,
        state.faults,
        CONTINUATION_STEPS,
        healing_steps=0 if guarantee in kernel.layout.guarantees else CONTINUATION_STEPS,
    )
    batch = kernel.run(options, 0, drawn, begin=quiet)
    if guarantee in kernel.layout.guarantees:
        return int((batch.violations[:, kernel.layout.guarantees.index(guarantee)] >= 0).sum())
    claim = kernel.layout.claims_about_rest.index(guarantee)
    return int(kernel.unpack_stuck(batch.stuck)[:, claim].sum())

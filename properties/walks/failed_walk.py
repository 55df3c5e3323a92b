"""A walk that violates a claim: the error, with its timeline and a file for ``rmqspec replay``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from properties.exports.itf import ItfTrace, encode_itf
from properties.generated_text import count_steps
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, follow
from properties.schedules.telling import draw_steps
from properties.verdicts.storage.certificate_files import write_whole
from reference.language.machine import Action
from reference.language.parameters import BaseParameters

FOLDER = Path(".hypothesis") / "rmqspec"
"""Where the schedules of failed walks are kept, beside Hypothesis' own examples."""


class ViolatedClaimError(AssertionError):
    """Raised for a walk after whose last step a claim does not hold; the message has the timeline.

    Each claim has a class of its own below this one: Hypothesis tells failures apart by their
    class, and shrinks each to its own shortest walk.
    """

    claim = ""
    """The name of the violated claim."""

    def __init__(
        self, message: str, parameters: BaseParameters, schedule: Sequence[Action]
    ) -> None:
        super().__init__(message)
        self.parameters = parameters
        """The sizes in which the walk began."""
        self.schedule = tuple(schedule)
        """The steps from the initial state; ``judge_claim`` replays them."""


def make_error_classes(claims: Mapping[str, Predicate]) -> dict[str, type[ViolatedClaimError]]:
    """The error of each claim."""
    return {
        name: type(f"Violated_{name}", (ViolatedClaimError,), {"claim": name}) for name in claims
    }


def draw_failure(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    claim: tuple[str, Predicate],
    schedule: Sequence[Action],
) -> str:
    """The claim that does not hold, and the timeline of the walk."""
    name, holds = claim
    steps = [
        JudgedStep(i, action, state, () if holds(state) else (name,))
        for i, (action, state) in enumerate(follow(structure, parameters, schedule))
    ]
    where = f"after {count_steps(len(schedule))}" if schedule else "in the initial state"
    lines = [f"{name} does not hold {where}:", draw_steps(steps)]
    lines.append(f"schedule: {'; '.join(map(str, schedule))}")
    return "\n".join(lines)


def keep_schedule(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    name: str,
    schedule: Sequence[Action],
    folder: Path = FOLDER,
) -> str:
    """How to replay the walk: a command with the file that it is kept in, or why there is none."""
    known = name if name in structure.world.claims else None
    trace = ItfTrace(structure, parameters, tuple(schedule), known)
    path = folder / f"{structure.world.make_code(structure)}-{name}.itf.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(encode_itf(trace), indent=1) + "\n")
    except OSError as error:
        return f"(the schedule cannot be kept: {error})"
    return f"rmqspec replay {path}"

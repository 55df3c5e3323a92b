"""Judged schedules as timelines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from properties.schedules.judgement import JudgedStep, replay
from properties.verdicts.verdict import Verdict
from properties.worlds import find_world
from reference.language.drawing import draw_timeline


def draw_steps(steps: Iterable[JudgedStep]) -> str:
    """The timeline of judged steps; a guarantee is named at the first step that violates it."""
    return draw_timeline((step.action, step.cluster, step.violated) for step in steps)


def draw_cell(structure: Any, verdict: Verdict) -> str:
    """The timeline of a refuted cell in small sizes, up to the claim that it breaks."""
    parameters = find_world(structure).make_search_parameters(
        find_world(structure).get_fault_model(verdict.fault)
    )
    return draw_steps(replay(structure, parameters, verdict.schedule, (verdict.guarantee,)))

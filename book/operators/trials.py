"""What each procedure led to in the reference, for the page that has its recipe."""

from __future__ import annotations

from properties.generated_text import render_table
from properties.scenarios.procedures.procedures import (
    Course,
    Procedure,
    find_page,
    load_procedures,
    try_out,
)
from properties.worlds.replication.world import ClaimedGroup


def render_trials(page: str) -> str:
    """A row for each course of a procedure whose recipe is in this text."""
    rows = [
        (procedure.recipe if course is procedure.advice else "", *say_trial(procedure, course))
        for procedure in load_procedures()
        if find_page(procedure.recipe) == page
        for course in (procedure.advice, *procedure.mistakes)
    ]
    return render_table(("Recipe", "What you do", "Result", "As good as new"), rows)


def say_trial(procedure: Procedure, course: Course) -> tuple[str, str, str]:
    """What was done, whether the claim holds afterwards, and whether the proofs apply again."""
    trial = try_out(procedure, course)
    word = "holds" if trial.is_claim_kept else "**is broken**"
    is_log = isinstance(procedure.structure, ClaimedGroup)
    new = ("yes" if trial.is_as_good_as_new else "no") if is_log else "not examined"
    return course.title, f"`{procedure.claim}` {word}", new

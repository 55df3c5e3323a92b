"""What helps after a failure and what does not: recoveries and procedures, tried in the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve, frozen

from command_line.output.width import get_prose_width, get_width, wrap
from properties.generated_text import count_steps
from properties.scenarios.procedures.procedures import Procedure, load_procedures
from properties.scenarios.procedures.recoveries import Outcome, choose_judged, try_recoveries
from properties.scenarios.summary.actions import is_worth_doing
from properties.scenarios.summary.rows import Judged
from properties.schedules.judgement import replay
from properties.schedules.telling import draw_steps
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import Verdict
from properties.worlds import find_world
from reference.worlds.system.structure import SystemStructure

WORD_WIDTH = 8
"""The widest of the words before a recovery, and a blank."""


@frozen
class Broken:
    """What has happened: a refuted verdict, and the claims that have to hold again."""

    structure: Any
    verdict: Verdict
    claims: tuple[str, ...]
    sources: tuple[Judged, ...]
    """The structures of the group; procedures are tried in them."""

    @property
    def is_system(self) -> bool:
        """It happens in a log and its readers together, each of which has procedures."""
        return isinstance(self.structure, SystemStructure)


def list_parts(structure: Any) -> tuple[Judged, ...]:
    """A structure with its verdicts; of a system also its log and its readers."""
    parts = [structure]
    if isinstance(structure, SystemStructure):
        parts += [structure.log, structure.reading]
    return tuple(Judged(each, tuple(find_cells(each).values())) for each in parts)


def tell_afterwards(broken: Broken) -> Iterator[str]:
    """The lines about recoveries and procedures, with a blank line before each part."""
    judged = choose_judged(broken.claims)
    outcomes = try_recoveries(broken.structure, broken.verdict, judged)
    if outcomes:
        yield from tell_outcomes(broken, judged, outcomes)
    procedures = list(find_procedures(broken))
    for procedure, source in procedures:
        yield from tell_procedure(procedure, source, has_drawing=not broken.is_system)
    if not outcomes and not procedures:
        yield ""
        yield "Afterwards: no recovery has been tried in the model for this failure."


def tell_outcomes(
    broken: Broken, judged: Sequence[str], outcomes: Sequence[Outcome]
) -> Iterator[str]:
    """A line or two for each recovery."""
    start = ", readers left out" if broken.is_system else ""
    yield ""
    yield from wrap(
        f"Afterwards, tried in the model from the end of this schedule{start}. A recovery helps "
        f"if {join(judged)} {'holds' if len(judged) == 1 else 'hold'} from then on, and no message "
        "answered PUT_OK is lost:",
        get_prose_width(),
    )
    for outcome in outcomes:
        word, text = describe(outcome, judged)
        head = f"  {word:<{WORD_WIDTH}}"
        yield from wrap(f"{outcome.title}{text}", get_prose_width(), head, " " * len(head))
    if not any(outcome.is_mending for outcome in outcomes):
        yield "Nothing that was tried makes it good."


def describe(outcome: Outcome, judged: Sequence[str]) -> tuple[str, str]:
    """A word for what a recovery gives, and the rest of its line."""
    if outcome.refused:
        return "cannot", f": {outcome.refused}."
    if outcome.is_lost:
        return "loses", ": a message answered PUT_OK is then on no broker."
    if outcome.broken:
        is_all = len(outcome.broken) == len(judged)
        verb = "is" if len(outcome.broken) == 1 else "are"
        return "no", f": {'' if is_all else f'{join(outcome.broken)} {verb} '}still broken."
    is_new = outcome.is_as_good_as_new
    return "helps", ": the group is then as good as a new one." if is_new else "."


def join(names: Sequence[str]) -> str:
    """Names in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def find_procedures(broken: Broken) -> Iterator[tuple[Procedure, Judged]]:
    """The procedures against the failure that work in the group, each with its structure there.

    Those of a system are the procedures of its log and of its readers for the same fault class.
    """
    for procedure in load_procedures():
        is_of_class = procedure.fault == broken.verdict.fault
        if not is_of_class or not (broken.is_system or procedure.claim in broken.claims):
            continue
        fitting = (s for s in broken.sources if is_worth_doing(procedure, s))
        for source in list(fitting)[:1]:
            yield procedure, source


def tell_procedure(procedure: Procedure, source: Judged, *, has_drawing: bool) -> Iterator[str]:
    """What to do and what not, and the failure that it begins with."""
    width = get_prose_width()
    yield ""
    steps = count_steps(len(procedure.harm))
    yield from wrap(
        f"Procedure “{procedure.recipe}”, tried in the model after a failure of {steps}"
        f"{':' if has_drawing else ''} "
        + ("" if has_drawing else f"of the same class; {procedure.claim} holds afterwards:"),
        width,
    )
    if has_drawing:
        yield draw_harm(procedure, source)
        yield f"Afterwards {procedure.claim} holds:"
    yield from wrap_step("Do", procedure.advice.title)
    for mistake in procedure.mistakes:
        yield from wrap_step("Not", mistake.title)


def draw_harm(procedure: Procedure, source: Judged) -> str:
    """The failure that a procedure begins with, drawn."""
    structure = evolve(procedure, structure_name=source.structure.name).structure
    world = find_world(structure)
    sizes = evolve(world.sizes.search, limits=world.everything.search_limits)
    return draw_steps(replay(structure, sizes, procedure.harm, (procedure.claim,)), get_width())


def wrap_step(head: str, text: str) -> list[str]:
    """A step of a procedure, or a mistake, in lines."""
    return wrap(f"{head}: {text.replace('`', '')}.", get_prose_width(), "  ", "    ")

"""The story behind a code such as ``L12``: claims, reasons, each step, and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from attrs import frozen

from command_line.answers.short.groups import list_variants, say_slaves
from command_line.options.reading_options import gather_question
from properties.generated_text import count_steps
from properties.scenarios.procedures.procedures import load_procedures
from properties.scenarios.summary.actions import find_code_of, is_worth_doing
from properties.scenarios.summary.rows import (
    Judged,
    find_code,
    is_open,
    is_refuted,
    list_cells,
    make_code,
    make_failure,
)
from properties.scenarios.summary.summary import list_sources
from properties.scenarios.summary.words import RowWords
from properties.schedules.telling import draw_cell
from properties.verdicts.analysis import (
    GroupAnalysis,
    analyse_group,
    compute_parameters,
    compute_structure,
)
from properties.verdicts.certificates import find_cells
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import Verdict
from properties.worlds import find_world
from reference.configuration.broker_group import BrokerGroup, Deployment

WIDTH = 100


@frozen
class Story:
    """A code in one group."""

    code: str
    row: RowWords
    fault: str
    group: BrokerGroup
    sources: tuple[Judged, ...]

    @property
    def cells(self) -> list[tuple[Any, Verdict]]:
        """The verdicts of the row under the fault model, those of the gravest claim first."""
        order = [claim.name for claim in self.row.claim]
        found = [
            (s, v)
            for s, v in list_cells(self.row, self.sources)
            if v.fault == self.fault
            and not v.is_vacuous
            and (not is_refuted(v) or make_code(self.row, s, v) == self.code)
        ]
        return sorted(found, key=lambda cell: order.index(cell[1].guarantee))


def print_stories(
    code: str, deployments: Sequence[Deployment], consumers: Mapping[str, Any], *, is_known: bool
) -> None:
    """A code in every group, in groups that behave alike once. Raises click.BadParameter."""
    try:
        row, fault = find_code(code)
    except LookupError as problem:
        raise click.BadParameter(str(problem)) from problem
    for group, sources in gather_sources(deployments, consumers, is_known=is_known):
        click.echo("\n".join(tell(Story(code, row, fault, group, sources))))


def gather_sources(
    deployments: Sequence[Deployment], consumers: Mapping[str, Any], *, is_known: bool
) -> Iterator[tuple[BrokerGroup, tuple[Judged, ...]]]:
    """Every group with the structures that say something about it; groups that behave alike once.

    Raises QuestionError for options about consumers that cannot be used.
    """
    question = gather_question(**consumers)
    seen: set[Any] = set()
    for deployment in deployments:
        for group in deployment.groups:
            for each in list_variants(group, is_known=is_known):
                if each.same_behaviour_key() not in seen:
                    seen.add(each.same_behaviour_key())
                    yield each, list_sources(each, question, analyse_by_certificate)


def describe_group(group: BrokerGroup) -> str:
    """Name, role, flush and number of slaves of a group, on one line."""
    return (
        f"{group.cluster}/{group.broker_name}, {group.master.role.name}, "
        f"{group.master.flush_disk_type.name}, {say_slaves(len(group.slaves))}"
    )


def analyse_by_certificate(group: BrokerGroup) -> GroupAnalysis:
    """The verdicts of a group's certificate. Without one they are decided."""
    structure = compute_structure(group)
    outside = group.outside_the_model()
    cells = () if outside else tuple(find_cells(structure).values())
    if not cells:
        return analyse_group(group)
    return GroupAnalysis(structure, compute_parameters(group), (), cells)


def tell(story: Story) -> Iterator[str]:
    """The lines about a code in one group."""
    yield f"{story.code}, {story.row.title.lower()}: {describe_group(story.group)}"
    fallen = [(s, v) for s, v in story.cells if is_refuted(v)]
    if not fallen:
        is_any_open = any(is_open(v) for _, v in story.cells) or not story.cells
        yield f"  {'It is not decided here.' if is_any_open else 'It does not fail here: proved.'}"
        return
    # The weakest, and of these the gravest claim: as on the screen.
    structure, verdict = min(fallen, key=lambda c: make_failure(story.row, *c).kind.order)
    yield f"It takes {make_failure(story.row, structure, verdict).words}."
    for each, cell in fallen:
        yield from tell_cell(each, cell)
    yield ""
    yield draw_cell(structure, verdict)
    yield from tell_procedures(story)


def tell_cell(structure: Any, verdict: Verdict) -> Iterator[str]:
    """The claim, the schedule's length, and why it is broken."""
    sentence = find_world(structure).claims[verdict.guarantee].sentence.replace("``", "")
    reason = find_expectation(verdict.guarantee, structure, verdict.fault).reason
    steps = count_steps(len(verdict.schedule))
    text = f"{sentence} Broken after {steps} ({verdict.guarantee}, {verdict.fault}). {reason}"
    yield from textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")


def tell_procedures(story: Story) -> Iterator[str]:
    """What helps after such a failure in the model, and what does not."""
    for procedure in load_procedures():
        meant = [s for s in story.sources if find_code_of(procedure, s) == story.code]
        if not any(is_worth_doing(procedure, source) for source in meant):
            continue
        yield ""
        yield f"Afterwards (tried in the model, {procedure.claim} holds):"
        yield from wrap_step("Do", procedure.advice.title)
        for mistake in procedure.mistakes:
            yield from wrap_step("Not", mistake.title)


def wrap_step(head: str, text: str) -> list[str]:
    """A step of a procedure, or a mistake, in lines."""
    return textwrap.wrap(
        f"{head}: {text.replace('`', '')}.", WIDTH, initial_indent="  ", subsequent_indent="    "
    )

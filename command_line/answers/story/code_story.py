"""The story behind a code such as ``L12``: claims, reasons, each step, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from attrs import evolve, frozen

from command_line.answers.short.groups import list_variants, say_slaves
from command_line.answers.short.shown import say_action
from command_line.answers.story.afterwards import BrokenGroup, tell_afterwards
from command_line.answers.story.not_here import AbsentCode, tell_absent
from command_line.options.reading_options import gather_question
from command_line.output.width import get_drawing_width, get_prose_width, wrap
from properties.checkout import name_page
from properties.generated_text import SPEC, count_steps
from properties.language.world import ClaimedStructure
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import analyse_log, compute_structure
from properties.scenarios.counterexamples.cases import ShownSchedule, choose_schedule
from properties.scenarios.stock_sizes import say_stock
from properties.scenarios.summary.answer import Row
from properties.scenarios.summary.codes import find_weakest, list_cases
from properties.scenarios.summary.rows import (
    find_code,
    is_refuted,
    judge_row,
    list_cells,
    make_code,
    make_failure,
)
from properties.scenarios.summary.shown_actions import CODES_MAX
from properties.scenarios.summary.summary import list_alternatives, summarise
from properties.scenarios.summary.words import FailureKind, Grade, RowWords
from properties.schedules.citations import say_cited
from properties.schedules.legend import say_legend
from properties.schedules.telling import draw_cell
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import find_cells
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import Verdict
from reference.configuration.broker_group import BrokerGroup, Deployment


@frozen
class Story:
    """A code in one group."""

    code: str
    row: RowWords
    fault: str
    analysis: GroupAnalysis
    words: tuple[str, ...] = ()
    """Paths and options that name the group."""

    @property
    def judged(self) -> Row:
        """Its row in the group."""
        return judge_row(
            self.row,
            compute_structure(self.group),
            self.sources,
            is_slave_acting=self.group.has_acting_slave,
        )

    @property
    def group(self) -> BrokerGroup:
        """The group."""
        return self.analysis.group

    @property
    def sources(self) -> tuple[Analysis, ...]:
        """The structures that say something about it."""
        return self.analysis.summarised

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

    @property
    def fallen(self) -> list[tuple[Any, Verdict, str]]:
        """The refuted verdicts, each with the code of the fewest faults that refute its claim."""
        told = []
        for structure, verdict in ((s, v) for s, v in self.cells if is_refuted(v)):
            own = [(s, v) for s, v in list_cells(self.row, self.sources) if s is structure]
            weakest = find_weakest(structure, verdict, own)
            assert weakest is not None
            is_own = weakest is verdict
            code = self.code if is_own else make_failure(self.row, structure, weakest).code
            told.append((structure, verdict, code))
        return told

    @property
    def own(self) -> list[tuple[Any, Verdict]]:
        """The verdicts that the code is about: no fewer faults refute their claims.

        Where there is none, those that ``check --all`` lists under the code because their own
        schedules differ.
        """
        weakest = [(s, v) for s, v, code in self.fallen if code == self.code]
        listed = {(f.structure, f.claim) for f in self.judged.others if f.code == self.code}
        return weakest or [(s, v) for s, v, _ in self.fallen if (s.name, v.guarantee) in listed]


def print_stories(
    code: str,
    deployments: Sequence[Deployment],
    consumers: Mapping[str, Any],
    words: tuple[str, ...],
    *,
    is_known: bool,
) -> None:
    """A code in every group, in groups that behave alike once. Raises click.BadParameter.

    ``words`` are the paths and options by which the groups were named.
    """
    try:
        row, fault = find_code(code)
    except LookupError as problem:
        raise click.BadParameter(str(problem)) from problem
    for analysis in analyse_by_certificates(deployments, consumers, is_known=is_known):
        click.echo("\n".join(tell(Story(code, row, fault, analysis, words))))


def analyse_by_certificates(
    deployments: Sequence[Deployment], consumers: Mapping[str, Any], *, is_known: bool
) -> Iterator[GroupAnalysis]:
    """Every group, its log judged by its certificate; groups that behave alike once.

    Raises QuestionError for options about consumers that cannot be used.
    """
    question = gather_question(**consumers)
    seen: set[Any] = set()
    for deployment in deployments:
        for group in deployment.groups:
            for each in list_variants(group, is_known=is_known):
                if each.same_behaviour_key() not in seen:
                    seen.add(each.same_behaviour_key())
                    yield GroupAnalysis(each, question, analyse_by_certificate(each))


def describe_group(group: BrokerGroup) -> str:
    """Name, role, flush and number of slaves of a group, on one line."""
    return (
        f"{group.cluster}/{group.broker_name}, {group.master.role.name}, "
        f"{group.master.flush_disk_type.name}, {say_slaves(len(group.slaves))}"
    )


def analyse_by_certificate(group: BrokerGroup) -> Analysis:
    """The verdicts of a group's certificate. Without one they are decided."""
    structure = compute_structure(group)
    outside = group.outside_the_model()
    cells = () if outside else tuple(find_cells(structure).values())
    if not cells:
        return analyse_log(group)
    return Analysis(structure, leave_open_unmet(group, structure, cells))


def tell(story: Story) -> Iterator[str]:
    """The lines about a code in one group."""
    head = f"{story.code}, {story.row.title.lower()}: {describe_group(story.group)}"
    yield from wrap(head, get_prose_width(), "", "  ")
    is_promised = story.judged.grade is not Grade.NOT_PROMISED
    if is_promised and story.own:
        yield from tell_failure(story, story.own)
        return
    yield from tell_lesser(story) if is_promised else ()
    if not story.fallen or not is_promised:
        yield from tell_absent(make_absent(story))


def make_absent(story: Story) -> AbsentCode:
    """The code as one that is no failure here."""
    found = list_alternatives(story.group, story.analysis.question, analyse_by_certificate)
    return AbsentCode(
        story.code,
        story.row,
        story.fault,
        story.sources,
        story.judged,
        [v for _, v in story.cells],
        tuple(found),
        story.words,
    )


def tell_failure(story: Story, own: Sequence[tuple[Any, Verdict]]) -> Iterator[str]:
    """What breaks, by which steps, and what helps."""
    # The weakest, and of these the gravest claim: as on the screen.
    structure, verdict = min(own, key=lambda c: make_failure(story.row, *c).kind.order)
    failure = make_failure(story.row, structure, verdict)
    without = ", without any failure" if failure.kind is FailureKind.UNFAILED else ""
    yield f"What it takes{without}: {failure.words}."
    others = [(s, choose_schedule(s, v).verdict) for s, v in own if v is not verdict]
    choice = choose_schedule(structure, verdict)
    yield from tell_cells([(structure, choice.verdict), *others])
    yield from tell_lesser(story)
    yield ""
    yield f"How {verdict.guarantee} breaks:"
    yield draw_cell(structure, choice.verdict, get_drawing_width())
    yield from tell_about_drawing(structure, verdict, choice)
    yield from list_pages(story.code, [v.guarantee for _, v in own])
    yield from tell_before(story)
    claims = tuple(dict.fromkeys(v.guarantee for _, v in own))
    yield from tell_afterwards(
        BrokenGroup(structure, choice.verdict, claims, story.sources, story.code)
    )


def tell_before(story: Story) -> Iterator[str]:
    """What `check` advises against the failure before it happens, with all that it changes."""
    summary = summarise(story.analysis, analyse_by_certificate)
    meant = [a for a in summary.actions if story.code in a.codes and not a.is_repair]
    if meant:
        yield ""
        yield "Before it happens:"
    for action in meant:
        shown = evolve(action, codes=choose_named(story.code, action.codes))
        yield from wrap(say_action(shown), get_prose_width(), "  ", "    ")


def choose_named(code: str, codes: Sequence[str]) -> tuple[str, ...]:
    """This code and the first others, as many as `check` names."""
    return (code, *(each for each in codes if each != code))[:CODES_MAX]


def tell_cells(cells: Sequence[tuple[Any, Verdict]]) -> Iterator[str]:
    """The broken claims, those with one reason together."""
    reasons: dict[str, list[tuple[Any, Verdict]]] = {}
    for structure, verdict in cells:
        reason = find_reason(structure, verdict)
        reasons.setdefault(reason, []).append((structure, verdict))
    width = get_prose_width()
    for reason, found in reasons.items():
        for structure, verdict in found:
            sentence = structure.world.claims[verdict.guarantee].sentence.replace("``", "")
            head = f"{verdict.guarantee} breaks after {count_steps(len(verdict.schedule))}"
            yield from wrap(f"{head}: “{sentence}”", width, "  ", "    ")
        yield from wrap(f"Why: {reason}", width, "  ", "    ")
    yield from wrap(say_cited(" ".join(reasons)), width, "  ", "    ")


def find_reason(structure: Any, verdict: Verdict) -> str:
    """Why a claim breaks: as expected of the release, or by the rules that settings change."""
    expected = find_expectation(verdict.guarantee, structure, verdict.fault)
    if expected.verdict is verdict.word:
        return expected.reason
    told = (change.sentence for change in structure.changes if change.name in structure.variants)
    return " ".join(told) or expected.reason


def tell_lesser(story: Story) -> Iterator[str]:
    """The claims of the row that break under fewer faults already, with the codes for that."""
    lesser: dict[str, list[str]] = {}
    for _, verdict, code in story.fallen:
        if code != story.code:
            lesser.setdefault(code, []).append(verdict.guarantee)
    for code, names in lesser.items():
        told = ", ".join(dict.fromkeys(names))
        text = f"Fewer faults break {told}: see code {code}."
        yield from wrap(text, get_prose_width(), "  ", "    ")


def list_pages(code: str, claims: Sequence[str]) -> Iterator[str]:
    """The counterexample pages about a code or its claims, with prevention and evidence."""
    found = [(k, case) for k, case in list_cases() if k == code or case.claim in claims]
    if found:
        yield ""
        yield "Evidence, and what prevents it:"
    for known, case in sorted(found, key=lambda each: each[0] != code):
        page = name_page(case.page.relative_to(SPEC).as_posix())
        other = "" if known == code else f" (the same guarantee, broken as {known})"
        yield from wrap(f"{page}{other}", get_prose_width(), "  ", "    ")


def tell_about_drawing(
    structure: ClaimedStructure, verdict: Verdict, choice: ShownSchedule
) -> list[str]:
    """The lines below a drawn schedule: its signs, why it is not the shortest, stock sizes."""
    remarks = (say_legend(structure), choice.remark, say_stock(structure, verdict))
    return wrap(" ".join(filter(None, remarks)), get_prose_width())

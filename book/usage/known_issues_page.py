"""The generated parts of ``spec/known_issues.md``: the catalogue, entry by entry.

``rmqspec docs --write spec/known_issues.md`` writes them anew after data or certificates
have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from properties.generated_text import SPEC, Page, point_at_rows, render_table
from properties.scenarios.known_issues.catalogue import (
    load_catalogue,
    load_decisions,
    load_outside,
    load_scenarios,
)
from properties.scenarios.known_issues.decisions import Decision
from properties.scenarios.known_issues.scenario import CERTAINTIES, Scenario
from properties.scenarios.known_issues.telling import (
    HEADS,
    IssueLine,
    describe_configuration,
    describe_length,
    describe_repairs,
    describe_seen,
    draw,
    format_arguments,
    join_note,
    list_lines,
)


def render_catalogue() -> str:
    """A row for each scenario and each decision."""
    return render_table(HEADS, map(_link, list_lines(load_catalogue()), _list_names()))


def _list_names() -> list[str]:
    return [*(s.name for s in load_scenarios()), *(d.name for d in load_decisions())]


def _link(line: IssueLine, name: str) -> Iterator[str]:
    """The cells of a row; the event links to its section."""
    linked = attrs.evolve(line, what=f"[{line.what}](#{name})", shows=f"`{line.shows}`")
    yield from attrs.astuple(linked)


def render_scenarios() -> str:
    """A section for each scenario."""
    return "\n\n".join("\n\n".join(_render_scenario(s)) for s in load_scenarios())


def _render_scenario(scenario: Scenario) -> Iterator[str]:
    yield from _render_head(scenario)
    verb = "Breaks" if scenario.is_claim else "Seen, though no guarantee breaks"
    yield f"**{verb}:** `{scenario.shows}`. {scenario.sentence}"
    yield f"**Where.** {describe_configuration(scenario)}."
    yield f"**Length.** {describe_length(scenario)}"
    yield f"```text\n{draw(scenario)}\n```"
    yield f"```text\n{_list_steps(scenario)}\n```"
    yield from _render_list("Elsewhere", describe_repairs(scenario))
    yield from _render_end(scenario)


def _list_steps(scenario: Scenario) -> str:
    """The schedule, a step in a line."""
    steps = enumerate(scenario.schedule, 1)
    return "\n".join(f"{index:>2} {str(action).removesuffix('()')}" for index, action in steps)


def render_decisions() -> str:
    """A section for each decision."""
    return "\n\n".join("\n\n".join(_render_decision(d)) for d in load_decisions())


def _render_decision(decision: Decision) -> Iterator[str]:
    yield from _render_head(decision)
    yield f"**Asked.** {decision.question.sentence} Decided by `{decision.question.decided_by}`."
    rows = ([format_arguments(c), f"`{c.answer!r}`", c.means] for c in decision.cases)
    yield render_table(("Case", "Answer", "What it means"), rows)
    yield from _render_end(decision)


def _render_head(entry: Scenario | Decision) -> Iterator[str]:
    yield f"### {entry.name}"
    yield f"**{entry.title}** ({', '.join(entry.sources)}; {CERTAINTIES[entry.certainty]})."


def _render_end(entry: Scenario | Decision) -> Iterator[str]:
    yield from _render_list("Seen on", describe_seen(entry))
    if entry.note:
        yield join_note(entry.note)


def _render_list(title: str, lines: Iterable[str]) -> Iterator[str]:
    items = "\n".join(f"- {line}" for line in lines)
    if items:
        yield f"**{title}**\n\n{items}"


def render_outside() -> str:
    """A row for each issue that the model cannot show."""
    rows = ([", ".join(each.sources), each.title, each.why] for each in load_outside())
    return render_table(("Issue", "What happens", "Why it is outside"), rows)


CHAPTER = SPEC / "known_issues.md"


def render_heads() -> str:
    """What is kept of the schedules: their names and what they show."""
    heads = "\n\n".join(part for entry in load_scenarios() for part in _render_head(entry))
    return f"{point_at_rows(CHAPTER)}\n{heads}"


PAGE = Page(
    CHAPTER,
    {
        "catalogue": render_catalogue,
        "scenarios": render_scenarios,
        "decisions": render_decisions,
        "outside": render_outside,
    },
    site_only={"scenarios": render_heads},
)
"""The chapter."""

"""Reports on known issues: a line for each, its timeline, its story, and its repairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import evolve, frozen

from properties.generated_text import count_steps
from properties.scenarios.known_issues.catalogue import Entry, Outside
from properties.scenarios.known_issues.decisions import Decision, DecisionCase
from properties.scenarios.known_issues.repair import try_elsewhere
from properties.scenarios.known_issues.scenario import CERTAINTIES, Scenario
from properties.schedules.telling import Sentence, draw_steps, list_sizes, tell_end, tell_steps
from properties.verdicts.certificates import encode_schedule
from properties.worlds.replication.world import ClaimedGroup

NOTHING = "-"


@frozen
class IssueLine:
    """One issue in a table, as text."""

    issue: str
    what: str
    shows: str
    steps: str
    repaired_by: str
    seen_on: str


HEADS = ("Issue", "What happens", "Broken claim, or phenomenon", "Steps", "Repaired by", "Seen on")
"""The columns of such a table."""


def make_line(entry: Scenario | Decision) -> IssueLine:
    """An entry in the catalogue's table."""
    recordings = dict.fromkeys(evidence.recording for evidence in entry.seen)
    line = IssueLine(
        issue=", ".join(entry.sources),
        what=entry.title,
        shows=entry.shows if isinstance(entry, Scenario) else entry.question_name,
        steps=NOTHING,
        repaired_by=NOTHING,
        seen_on=", ".join(recordings) or NOTHING,
    )
    if isinstance(entry, Decision):
        return line
    repairs = ", ".join(entry.repaired_by) or NOTHING
    return evolve(line, steps=str(len(entry.schedule)), repaired_by=repairs)


def draw(scenario: Scenario, width: int | None = None) -> str:
    """The timeline of a scenario; no line is longer than ``width``, if there is one."""
    return draw_steps(scenario.walk(), width)


def tell_scenario(scenario: Scenario) -> list[Sentence]:
    """The story of a scenario: deployment, steps, events, and what is wrong at the end."""
    steps = list(scenario.walk())
    word = "does not hold" if scenario.is_claim else "is so"
    return [*tell_steps(steps), tell_end(steps, f"{scenario.shows} {word}: “{scenario.sentence}”")]


def describe_configuration(scenario: Scenario) -> str:
    """Release, group, faults and sizes."""
    release = f"RocketMQ {scenario.version.name}, " if is_replication(scenario) else ""
    group = scenario.structure_name.partition(" at ")[0]
    sizes = ", ".join(f"{name} {value}" for name, value in list_sizes(scenario.parameters).items())
    return f'{release}{group}; fault model "{scenario.fault}"{sizes and f"; {sizes}"}'


def is_replication(scenario: Scenario) -> bool:
    """It is of the world that knows releases."""
    return isinstance(scenario.structure, ClaimedGroup)


def describe_repairs(scenario: Scenario, in_page: str = "") -> list[str]:
    """A line for each place where it was tried, with the outcome.

    With a page that describes variants, a line for a terminal: it says what each name is.
    """
    names = (*scenario.repaired_by, *scenario.not_repaired_by)
    return [
        f"{say_place(name, in_page)}: {try_elsewhere(scenario, name).describe()}" for name in names
    ]


def say_place(name: str, page: str) -> str:
    """A variant, a release or a structure; its name alone without a page that describes variants.

    A variant is a change to the model, not a setting.
    """
    if not page:
        return name
    if name.isidentifier():
        return f"With {name}, a change to the model ({page}#{name})"
    return f"In the structure {name}" if "/" in name else f"In RocketMQ {name}"


UNTRACKED = {
    "survey-": "a schedule that this project found itself",
    "fact-": "a fact of RocketMQ's code that no thread reports",
    "RIP-": "an improvement proposal of RocketMQ",
}
"""What a source is that is no thread of a tracker, by the beginning of its name."""


def say_sources(entries: Iterable[Entry]) -> str:
    """What the sources of these entries are that are no threads; empty if there are none."""
    named = list(dict.fromkeys(source for entry in entries for source in entry.sources))
    told = [
        f"{start}{'N' if len(own) > 1 else own[0].removeprefix(start)} is {what}"
        for start, what in UNTRACKED.items()
        if (own := [name for name in named if name.startswith(start)])
    ]
    return f"{'; '.join(told)}." if told else ""


def describe_seen(entry: Scenario | Decision) -> list[str]:
    """The lines of recordings that show it."""
    return [str(evidence) for evidence in entry.seen]


def format_arguments(case: DecisionCase) -> str:
    """A case's arguments in one line."""
    return ", ".join(f"{name} = {value!r}" for name, value in case.arguments.items())


def describe_case(case: DecisionCase) -> str:
    """The answer in one case, and its meaning."""
    return f"{format_arguments(case)}: {case.answer!r}. {case.means}"


def describe_length(scenario: Scenario) -> str:
    """The number of steps, and why not fewer."""
    return f"{count_steps(len(scenario.schedule))}. {scenario.longer_because}".rstrip()


def as_json(entry: Entry) -> dict[str, Any]:
    """One entry for programs."""
    told: dict[str, Any] = {
        "rows": list(entry.rows),
        "sources": list(entry.sources),
        "title": entry.title,
    }
    if isinstance(entry, Outside):
        return {"kind": "outside", **told, "why": entry.why}
    told |= {
        "name": entry.name,
        "certainty": CERTAINTIES[entry.certainty],
        "note": " ".join(entry.note.split()),
        "seen": describe_seen(entry),
    }
    if isinstance(entry, Decision):
        return {"kind": "decision", **told, **_decision_as_json(entry)}
    return {"kind": "scenario", **told, **_scenario_as_json(entry)}


def _decision_as_json(decision: Decision) -> dict[str, Any]:
    return {
        "question": decision.question_name,
        "decided_by": decision.question.decided_by,
        "cases": [
            {"arguments": dict(c.arguments), "answer": c.answer, "means": c.means}
            for c in decision.cases
        ],
    }


def _scenario_as_json(scenario: Scenario) -> dict[str, Any]:
    return {
        "rocketmq_version": scenario.version.name,
        "structure": scenario.structure_name,
        "fault": scenario.fault,
        "shows": scenario.shows,
        "is_claim": scenario.is_claim,
        "steps": len(scenario.schedule),
        "schedule": encode_schedule(scenario.schedule),
        "repaired_by": dict(scenario.repaired_by),
        "not_repaired_by": list(scenario.not_repaired_by),
        "sentences": [str(sentence) for sentence in tell_scenario(scenario)],
    }


def join_note(note: str) -> str:
    """A note of the data as one paragraph."""
    return " ".join(note.split())


def list_lines(entries: Iterable[Entry]) -> list[IssueLine]:
    """The table's lines: of scenarios and decisions."""
    return [make_line(entry) for entry in entries if not isinstance(entry, Outside)]

"""What supports a counterexample: recordings, threads of trackers, known issues, and its steps.

For each step: why it is possible, and the effect of leaving it out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from attrs import frozen

from book.links import CITATION
from properties.checkout import ROOT
from properties.scenarios.counterexamples.cases import CounterexamplePage
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.scenarios.known_issues.scenario import CERTAINTIES, Scenario
from properties.scenarios.predictions import Prediction, load_predictions
from properties.schedules.judgement import is_refuted_by, take_steps
from properties.verdicts.findings.explanations import Explanation, explain
from reference.language.machine import Action, compute_machine
from reference.language.rule import Rule

RECORDINGS = ROOT / "tests" / "data" / "traces"

TOLD_FIELDS = {
    "put": ("put_status", "wrote_offset", "wrote_bytes", "push2_slave_before", "duration_ms"),
    "ha_report": ("slave_offset",),
    "ha_frame": ("master_offset", "body_bytes"),
    "snapshot": ("max_offset", "flushed_offset", "push2_slave_max_offset", "slave_fall_behind"),
    "store_surgery": ("lost_from_offset", "actions"),
    "log": ("msg",),
    "pull_message": ("node", "offset", "get_status", "response", "next_begin_offset", "max_offset"),
    "tables": ("node", "consumer_offsets"),
}
"""The quoted fields of a recorded line, by its kind; all fields for other kinds."""

QUOTED_LETTERS_MAX = 160


@frozen
class RecordedLine:
    """A line of a recording that supports a page."""

    recording: str
    seq: int
    event: str
    told: tuple[str, ...] = ()
    """The fields to quote; if empty, those of its kind."""

    def read(self) -> Mapping[str, Any]:
        """The line itself. Raises LookupError when the recording has no such line."""
        for seq, event in load_recording(self.recording).items():
            if (seq, event["ev"]) == (self.seq, self.event):
                return event
        raise LookupError(f"{self.recording} has no line {self.seq} ({self.event})")

    def quote(self) -> str:
        """The fields that a page quotes, with their values."""
        event = self.read()
        usual = TOLD_FIELDS.get(self.event, tuple(n for n in event if n not in ("seq", "ev")))
        fields = self.told or usual
        told = [f"{name} {format_value(event[name])}" for name in fields if name in event]
        return shorten("; ".join(told))


def format_value(value: Any) -> str:
    """A value as a line of text."""
    return value if isinstance(value, str) else json.dumps(value)


def shorten(text: str) -> str:
    """At most as many letters as a table bears."""
    if len(text) <= QUOTED_LETTERS_MAX:
        return text
    return text[: QUOTED_LETTERS_MAX - 4].rstrip() + " ..."


@cache
def load_recording(name: str) -> dict[int, Mapping[str, Any]]:
    """The events of a recording by their numbers."""
    lines = (RECORDINGS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return {event["seq"]: event for event in map(json.loads, lines)}


def find_explanation(case: CounterexamplePage) -> Explanation | None:
    """The class of a refutation of replication; other worlds have none."""
    return explain(case.group, case.verdict) if case.group else None


def find_predictions(case: CounterexamplePage) -> tuple[Prediction, ...]:
    """The predictions of its class."""
    explanation = find_explanation(case)
    if explanation is None:
        return ()
    return tuple(p for p in load_predictions() if p.explanation == explanation.name)


def find_known_issues(case: CounterexamplePage) -> tuple[Scenario, ...]:
    """Known issues that break the same guarantee in the same world."""
    return tuple(
        scenario
        for scenario in load_scenarios()
        if scenario.shows == case.claim and type(scenario.structure) is type(case.structure)
    )


def is_same_story(case: CounterexamplePage, scenario: Scenario) -> bool:
    """A known issue is about the same verdict: the same release, and the same kind of fault."""
    is_same_release = not scenario.structure.variants
    return is_same_release and scenario.fault == case.fault


def find_line(citation: str, told: tuple[str, ...] = ()) -> RecordedLine:
    """The line that is cited. Raises LookupError for a recording that does not exist."""
    found = CITATION.fullmatch(citation)
    if not found or not (RECORDINGS / f"{found[1]}.jsonl").exists():
        raise LookupError(f"{citation!r} is no line of a recording")
    return RecordedLine(found[1], int(found[2]), found[3], told)


def list_recorded(case: CounterexamplePage) -> Iterator[RecordedLine]:
    """The lines of recordings for its class, those of its known issues, its own, each once.

    Raises LookupError.
    """
    explanation = find_explanation(case)
    cited = [(line, ()) for line in explanation.recordings] if explanation else []
    told = [s for s in find_known_issues(case) if is_same_story(case, s)]
    cited += [(str(evidence), ()) for scenario in told for evidence in scenario.seen]
    lines: dict[str, tuple[str, ...]] = dict(cited) | {c.line: c.told for c in case.recorded}
    yield from (find_line(line, told) for line, told in lines.items())


def describe_certainty(scenario: Scenario) -> str:
    """How a thread supports the issue: by stating it, or by being consistent with it."""
    if scenario.certainty == "S":
        return "reported"
    if scenario.certainty == "C":
        return "not reported; a fact of the code"
    return f"consistent with the report ({CERTAINTIES[scenario.certainty]})"


def describe_report(scenario: Scenario) -> str:
    """A known issue in a line: its threads, its title with a link, how sure that is."""
    threads = ", ".join(scenario.sources)
    link = f"[{scenario.title}](../known_issues.md#{scenario.name})"
    return f"{threads}: {link}; {describe_certainty(scenario)}."


@frozen
class NeededStep:
    """One step: under which conditions it may happen, and that it is needed."""

    step: int
    """Its number, from 1."""
    rule: Rule
    conditions: tuple[str, ...]
    """Names of the conditions of its rule; all of them hold before it."""
    refused_step: int | None
    """Without this step, the first later one that is impossible; None if all are possible."""
    refused_for: tuple[str, ...] = ()
    """The conditions of that one that do not hold then."""
    is_enough_without: bool = False
    """The guarantee breaks without this step too: then it was needless."""


def list_needs(case: CounterexamplePage) -> Iterator[NeededStep]:
    """One entry for each step."""
    machine = compute_machine(case.structure)
    state = case.structure.make_initial(case.parameters)
    for number, action in enumerate(case.schedule, start=1):
        instance = machine.instances[action.instance]
        named = next(instance.start(state)).named
        refused_step, refused_for, is_enough = leave_out(case, number)
        conditions = tuple(named)
        yield NeededStep(number, instance.rule, conditions, refused_step, refused_for, is_enough)
        state = machine.step(state, action).cluster


def leave_out(case: CounterexamplePage, number: int) -> tuple[int | None, tuple[str, ...], bool]:
    """A schedule without one step: (step refused, conditions, whether the guarantee breaks).

    The steps after a refused one are not tried, because it may be needed for them.
    """
    holds = case.structure.world.claims[case.claim].predicate
    others = [*case.schedule[: number - 1], *case.schedule[number:]]
    for index, (_, outcome) in enumerate(
        take_steps(case.structure, case.parameters, others), start=1
    ):
        if outcome.is_refused:
            return index + (index >= number), tuple(outcome.failed), False
        if not holds(outcome.cluster):
            return None, (), True
    return None, (), False


def list_needless_pairs(
    case: CounterexamplePage, schedule: Sequence[Action] | None = None
) -> Iterator[tuple[int, int]]:
    """The numbers of two steps without which the guarantee still breaks."""
    numbered = list(enumerate(schedule or case.schedule, start=1))
    for left_out in combinations(range(1, len(numbered) + 1), 2):
        others = [action for number, action in numbered if number not in left_out]
        if is_refuted_by(case.claim, case.structure, case.parameters, others):
            yield left_out

"""Which recording kills which mutant of the rules.

A mutant is killed by a recording that no longer conforms with it; by a corrupted copy that now
does; or by a state on the way, in which it allows what no broker can do: both branches of one
decision, a step that has just been taken and can be taken once only, a step of a process or a
connection that is gone, or a step that leads to a state which breaks a sanity check.
``python -m tests.reference.trace.kill_table`` decides every mutant anew (some minutes), and writes
the answers to ``tests/data/kill_table.json`` and the tables of ``spec/recordings.md``.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from attrs import frozen

from properties.mutants.recording_judge import find_fired_rules, read_recordings
from properties.rule_mutants import MutantKind, RuleMutant, list_mutants, make_mistake
from properties.worlds.replication.world import SANITY_CHECKS
from reference.machine import Action, Instance, Machine, Outcome, probe
from reference.rule import Rule
from reference.rules import RULES
from reference.state import Cluster
from reference.trace.checking import check_recording
from reference.trace.reading import Recording
from tests.reference.trace.corruptions import MAKERS, Corruption
from tests.reference.trace.impossible_steps import list_impossible

TRACES = Path(__file__).parents[2] / "data" / "traces"
LATER = TRACES.parent / "traces_498"
PAGE = Path(__file__).parents[3] / "spec" / "recordings.md"
TABLE = Path(__file__).parents[2] / "data" / "kill_table.json"

CORRUPTIONS_PER_MAKER = 25
"""How many copies of one kind are tried per recording: evenly spread over it."""

TRIALS_MAX = 12
"""How many corrupted copies are tried on one mutant before it counts as a survivor."""


@frozen
class Evidence:
    """What refuses a corrupted copy: the rule that would be needed, and its failed conditions."""

    corruption: Corruption
    rule: str
    conditions: tuple[str, ...]


def read_all(folder: Path = TRACES) -> dict[str, Recording]:
    """The recordings of a folder by name, short ones first."""
    return read_recordings(folder)


@contextlib.contextmanager
def watch_steps(watch: Callable[[Machine, Cluster, Action, Outcome], None]) -> Iterator[None]:
    """Inside, every step of every machine is shown to ``watch``, but for those it takes itself."""
    true_step = Machine.step
    is_watching = False

    def step(self: Machine, cluster: Cluster, action: Action) -> Outcome:
        nonlocal is_watching
        outcome = true_step(self, cluster, action)
        if not outcome.is_refused and not is_watching:
            is_watching = True
            try:
                watch(self, cluster, action, outcome)
            finally:
                is_watching = False
        return outcome

    Machine.step = step  # type: ignore[method-assign]
    try:
        yield
    finally:
        Machine.step = true_step  # type: ignore[method-assign]


def choose_corruptions(recording: Recording) -> Iterator[Corruption]:
    """Some corrupted copies of every kind, evenly spread over the recording."""
    for make in MAKERS:
        copies = list(make(recording))
        yield from copies[:: max(1, len(copies) // CORRUPTIONS_PER_MAKER)]


def gather_evidence(recordings: Iterable[Recording]) -> dict[str, list[Evidence]]:
    """By rule: the corrupted copies that are refused because of it."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for recording in recordings:
        for corruption in choose_corruptions(recording):
            verdict = check_recording(corruption.recording)
            rule = verdict.blocked_instance.partition("[")[0]
            if rule in RULES and not verdict.is_conforming:
                evidence = Evidence(corruption, rule, verdict.blocked_conditions)
                found[rule].append(evidence)
    return found


def is_named_by(mutant: RuleMutant, evidence: Evidence) -> bool:
    """The copy is refused by what the mutant changes."""
    argument = mutant.where.partition(".")[0]
    names = (mutant.where, f"is_{argument}_in_range", f"is_range_of_{argument}_not_empty")
    return any(name in evidence.conditions for name in names)


def find_killer(
    mutant: RuleMutant,
    recordings: Mapping[str, Recording],
    fired: Mapping[str, set[str]],
    evidence: Mapping[str, list[Evidence]],
) -> str | None:
    """What kills a mutant, in words; None for a survivor."""
    true_rule = RULES[mutant.rule]
    telling = [e.corruption for e in evidence.get(mutant.rule, ()) if is_named_by(mutant, e)]
    with make_mistake(mutant):
        for corruption in telling[:TRIALS_MAX]:
            if check_recording(corruption.recording).is_conforming:
                name = Path(corruption.recording.file).stem
                return f"{name} with seq {corruption.seq} corrupted: {corruption.what}"
        for name, recording in recordings.items():
            impossible = find_impossible_step(recording, true_rule)
            if impossible is not None:
                return f"{name}: {impossible}"
            verdict = check_recording(recording)
            if not verdict.is_conforming:
                return f"{name} seq {verdict.first_unexplained_seq}"
    return None


def find_impossible_step(recording: Recording, true_rule: Rule) -> str | None:
    """Something of the mutated rule that a state allows and no broker can do, in words."""
    found: list[str] = []
    rule = true_rule.name

    def look(machine: Machine, before: Cluster, action: Action, outcome: Outcome) -> None:
        if found:
            return
        for name, cluster, why in list_impossible(action, before, outcome.cluster):
            instance = machine.instances.get(name)
            is_asked = instance is not None and instance.rule.name == rule
            if is_asked and not probe(machine.instances[name], cluster)[0]:
                found.append(f"{name} {why} {action.instance}")
        for name, instance in machine.instances.items():
            if not found and instance.rule.name == rule:
                true = Instance(true_rule, instance.indexes)
                found.extend(find_broken_check(machine, name, true, outcome.cluster))

    with watch_steps(look):
        check_recording(recording)
    return found[0] if found else None


def find_broken_check(
    machine: Machine, name: str, true: Instance, cluster: Cluster
) -> Iterator[str]:
    """A sanity check that a step breaks which the mutant allows and the true rule does not."""
    failed, ranges = probe(machine.instances[name], cluster)
    true_failed, true_ranges = probe(true, cluster)
    if failed or (not true_failed and ranges == true_ranges):
        return
    for arguments in ({r.name: r.low for r in ranges}, {r.name: r.high for r in ranges}):
        outcome = machine.step(cluster, Action(name, arguments))
        for check, sanity in SANITY_CHECKS.items():
            if sanity.predicate(cluster) and not sanity.predicate(outcome.cluster):
                yield f"{name} breaks {check}"
                return


def decide_all() -> dict[str, str | None]:
    """What kills each mutant, by the mutant's name."""
    recordings = read_all()
    fired = {name: find_fired_rules(r) for name, r in recordings.items()}
    evidence = gather_evidence(recordings.values())
    answers: dict[str, str | None] = {}
    for mutant in list_mutants():
        answers[mutant.name] = find_killer(mutant, recordings, fired, evidence)
        print(f"{mutant.name}: {answers[mutant.name]}", file=sys.stderr, flush=True)
    return answers


def compute_fired_anywhere() -> set[str]:
    """Rules that some recording needs; mutants of the others nothing here can kill."""
    return set(itertools.chain.from_iterable(map(find_fired_rules, read_all().values())))


def load_answers() -> dict[str, str | None]:
    """What the last run decided."""
    answers: dict[str, str | None] = json.loads(TABLE.read_text())
    return answers


def render_conformance(folder: Path = TRACES) -> str:
    """What the checker says about each recording of a folder, as a Markdown table."""
    lines = [
        "| Recording | events | explained | ignored | fields checked | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, recording in sorted(read_all(folder).items()):
        v = check_recording(recording)
        numbers = f"{v.events} | {v.explained} | {v.ignored} | {v.fields_checked}"
        lines.append(f"| `{name}` | {numbers} | {v.verdict} |")
    return "\n".join(lines)


def render_kills() -> str:
    """Per rule how many of its mutants die, and one recording that kills some."""
    answers = load_answers()
    lines = ["| Rule | mutants | killed | killed by, for example |", "| --- | --- | --- | --- |"]
    for rule in RULES:
        own = [answers[m.name] for m in list_mutants() if m.rule == rule]
        killers = [a for a in own if a]
        example = min(killers, key=len) if killers else ""
        lines.append(f"| `{rule}` | {len(own)} | {len(killers)} | {example} |")
    total, dead = len(answers), sum(a is not None for a in answers.values())
    return "\n".join([*lines, f"| all | {total} | {dead} | |"])


def render_survivors() -> str:
    """The mutants that no recording kills, by the reason."""
    fired = compute_fired_anywhere()
    by_reason: dict[str, list[str]] = defaultdict(list)
    for mutant in list_mutants():
        if load_answers()[mutant.name] is None:
            reason = UNUSED if mutant.rule not in fired else UNSEEN[mutant.kind]
            by_reason[reason].append(f"- {mutant.name}")
    sections = (f"**{reason}:**\n\n" + "\n".join(names) for reason, names in by_reason.items())
    return "\n\n".join(sections)


UNUSED = "No recording needs the rule"
UNSEEN = {
    MutantKind.CONDITION_DROPPED: "Lets more through, and what else the checker asks refuses it",
    MutantKind.RANGE_WIDER: "Lets more through, and what else the checker asks refuses it",
    MutantKind.STRICTNESS_FLIPPED: "The two sides are never equal in a recording, or it lets more "
    "through",
    MutantKind.RANGE_NARROWER: "No recording goes to the end of the range",
}
"""Why a mutant survives."""

TABLES: Mapping[str, Callable[[], str]] = {
    "conformance": render_conformance,
    "later conformance": partial(render_conformance, LATER),
    "kills": render_kills,
    "survivors": render_survivors,
}
"""The generated parts of the page, by their marker."""


def update_page(text: str) -> str:
    """The page with every generated part as it should be."""
    for name, render in TABLES.items():
        begin, end = f"<!-- begin generated: {name} -->\n", f"<!-- end generated: {name} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{render()}\n{end}{after}"
    return text


if __name__ == "__main__":
    if "--page-only" not in sys.argv:
        TABLE.write_text(json.dumps(decide_all(), indent=1) + "\n")
    PAGE.write_text(update_page(PAGE.read_text()))

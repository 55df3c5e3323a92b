"""Findings of each judge about each mutant, as values and as JSON, and what kills a mutant.

Findings are stored as they come, so that an interrupted run can continue: a file has one line of
JSON per rule, and lines made from other rules, or by other judges, are skipped. The findings of a
whole run are a measurement. A summary reports, in words and as tables, how many mutants each
judge kills.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from properties.judges.measurements import read_measurement, write_measurement
from properties.mutants.derivation import RuleMutant, list_source_structures
from properties.mutants.proof_judge import Likeness
from properties.verdicts.fingerprint import compute_digest, compute_fingerprint
from properties.worlds.catalogue import WORLD_BY_TOPIC
from reference.language.machine import record_predicate

ARGUMENTS_FILE = Path(__file__).with_name("arguments.toml")

LAYERS = ("equivalence", "graphs", "lemmas", "guarantees", "recordings")
"""The judges, in the order in which they run."""

KILLERS = ("states", "lemma", "guarantee", "recording", "steps", "values")
"""The fields of a finding that kill a mutant, in the order in which they are reported."""


@frozen
class MutantFinding:
    """The finding about one mutant; a field is None if its judge found nothing or did not run."""

    name: str
    rule: str
    kind: str
    likeness: str | None = None
    """Z3's comparison of the steps, see ``Likeness``; None if it gave up."""
    difference: Mapping[str, Any] | None = None
    """The shortest schedule that distinguishes mutant and rule: instance, steps, schedule, what."""
    states: Mapping[str, Any] | None = None
    """A small instance with another number of states: instance, depth, states, mutated_states."""
    steps: Mapping[str, Any] | None = None
    """A small instance in which the rule has another number of steps from the states of a depth:
    instance, depth, steps, mutated_steps."""
    values: Mapping[str, Any] | None = None
    """A small instance with other states, although as many: instance, depth, new_states; searched
    only if nothing else kills."""
    lemma: Mapping[str, Any] | None = None
    """The first sanity check or lemma that it breaks: lemma, instance, structure."""
    guarantee: Mapping[str, Any] | None = None
    """A stored schedule that no longer works, or a proved guarantee that is broken."""
    recording: Mapping[str, Any] | None = None
    """A recording that is not explained under it: name and seq."""

    @property
    def is_proved_alike(self) -> bool:
        """Equivalent: Z3 has proved that it changes no reachable state."""
        return self.likeness in (Likeness.SAME_STEPS.value, Likeness.SAME_SUCCESSORS.value)

    @property
    def killers(self) -> tuple[str, ...]:
        """The judges that kill it."""
        return tuple(name for name in KILLERS if getattr(self, name) is not None)

    @property
    def is_survivor(self) -> bool:
        """Neither killed nor proved equivalent."""
        return not self.killers and not self.is_proved_alike


@frozen
class RuleFindings:
    """The findings about one rule of a world, with digests of the rules they were made from."""

    world: str
    rule: str
    digest: str
    """The digest of all rules, guarantees and lemmas of the world."""
    rule_digest: str
    """The digest of the rule alone: while it stays, its mutants stay the same."""
    layers: tuple[str, ...]
    structure: str
    """The only structure that was judged; empty for all."""
    findings: tuple[MutantFinding, ...] = field(repr=False)


def make_finding(mutant: RuleMutant) -> MutantFinding:
    """The finding before any judge runs."""
    return MutantFinding(mutant.name, mutant.rule, mutant.kind.value)


def encode(found: RuleFindings) -> dict[str, Any]:
    """As JSON; fields that are None are left out."""
    findings = [{k: v for k, v in attrs.asdict(f).items() if v is not None} for f in found.findings]
    return {
        "world": found.world,
        "rule": found.rule,
        "digest": found.digest,
        "rule_digest": found.rule_digest,
        "layers": list(found.layers),
        "structure": found.structure,
        "findings": findings,
    }


def decode(document: Mapping[str, Any]) -> RuleFindings:
    """The findings that ``encode`` wrote. Raises KeyError or TypeError for anything else."""
    return RuleFindings(
        document["world"],
        document["rule"],
        document["digest"],
        document["rule_digest"],
        tuple(document["layers"]),
        document["structure"],
        tuple(MutantFinding(**finding) for finding in document["findings"]),
    )


@cache
def compute_world_digest(world: str) -> str:
    """A digest of rules, guarantees and lemmas of the structures that mutants come from."""
    text = ""
    for structure in list_source_structures(world):
        lemmas = structure.world.get_lemmas(structure).items()
        text += compute_digest(structure)
        text += "".join(f"{n} {record_predicate(structure, p.predicate)}\n" for n, p in lemmas)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def compute_rule_digest(world: str, rule: str) -> str:
    """A digest of one rule in the structures that its mutants come from."""
    texts = (compute_fingerprint(s)["rules"].get(rule, "") for s in list_source_structures(world))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def is_of_this_rule(found: RuleFindings) -> bool:
    """The rule has not changed since, though others may have."""
    is_known = found.world in WORLD_BY_TOPIC
    return is_known and found.rule_digest == compute_rule_digest(found.world, found.rule)


def list_older(found: Iterable[RuleFindings]) -> list[RuleFindings]:
    """The findings that were made when some rule, claim or lemma was different."""
    return [entry for entry in found if entry.digest != compute_world_digest(entry.world)]


@cache
def load_arguments() -> dict[str, dict[str, str]]:
    """Why a surviving mutant is not a gap, by world and the mutant's name."""
    return tomllib.loads(ARGUMENTS_FILE.read_text(encoding="utf-8"))


def list_unexplained(world: str, findings: Iterable[MutantFinding]) -> list[MutantFinding]:
    """The survivors for which there is no argument."""
    argued = load_arguments().get(world, {})
    return [f for f in findings if f.is_survivor and f.name not in argued]


RESULTS_NAME = "results.jsonl"

MEASUREMENT = "mutants"
"""The measurement that has the findings of a whole run; ``./rmqspec mutants`` makes it."""


def append(folder: Path, found: RuleFindings) -> None:
    """Add the findings about one rule. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RESULTS_NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(encode(found)) + "\n")


def read(folder: Path) -> list[RuleFindings]:
    """The findings of an earlier run with the present rules; a broken line is skipped."""
    path = folder / RESULTS_NAME
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = decode(json.loads(line))
        except (ValueError, KeyError, TypeError):
            continue
        if entry.world in WORLD_BY_TOPIC and entry.digest == compute_world_digest(entry.world):
            found.append(entry)
    return found


def read_unchanged() -> list[RuleFindings]:
    """The measured findings about rules that have not changed since; none without a measurement."""
    return [entry for entry in load_table() if is_of_this_rule(entry)]


def render_json(found: Iterable[RuleFindings]) -> str:
    """A list with one line per rule."""
    return "[\n" + ",\n".join(json.dumps(encode(entry)) for entry in found) + "\n]\n"


def save_table(found: Iterable[RuleFindings]) -> None:
    """Keep the findings of a whole run. Raises OSError."""
    write_measurement(MEASUREMENT, [encode(entry) for entry in found])


def load_table() -> tuple[RuleFindings, ...]:
    """What was measured, in the order of worlds and rules; nothing if it is missing or damaged."""
    measured = read_measurement(MEASUREMENT)
    try:
        return tuple(map(decode, measured.result)) if measured else ()
    except (KeyError, TypeError):
        return ()


def list_needless_arguments(found: Iterable[RuleFindings]) -> list[tuple[str, str]]:
    """World and name of mutants for which there is an argument, though they do not survive."""
    survivors = {(e.world, f.name) for e in found for f in e.findings if f.is_survivor}
    argued = [(world, name) for world, names in load_arguments().items() for name in names]
    return [each for each in argued if each not in survivors]


ALIKE, ARGUED, OPEN = "proved to be no mistake", "argued", "unexplained"

JUDGES = {
    "states": "another number of states",
    "lemma": "a lemma or sanity check falls",
    "guarantee": "a schedule is spoilt, or a guarantee",
    "recording": "a recording is refused",
    "steps": "another number of steps",
    "values": "other states, as many",
}
"""The name of each judge, in the order in which the first one to kill is named."""


def name_outcome(world: str, finding: MutantFinding) -> str:
    """The outcome of a mutant: no mistake, its first killer, or why it survives."""
    if finding.is_proved_alike:
        return ALIKE
    if finding.killers:
        return finding.killers[0]
    return ARGUED if finding.name in load_arguments().get(world, {}) else OPEN


def describe_killers(world: str, finding: MutantFinding) -> str:
    """For example ``killed by states, lemma (is_open_link_counted)``."""
    if not finding.killers or finding.is_proved_alike:
        return name_outcome(world, finding)
    told = []
    for killer in finding.killers:
        detail = ""
        if killer == "lemma" and finding.lemma:
            detail = f" ({finding.lemma['lemma']})"
        if killer == "recording" and finding.recording:
            detail = f" ({finding.recording['name']} seq {finding.recording['seq']})"
        told.append(killer + detail)
    return "killed by " + ", ".join(told)


def count_outcomes(found: Iterable[RuleFindings]) -> Counter[str]:
    """The number of mutants with each outcome."""
    return Counter(name_outcome(e.world, f) for e in found for f in e.findings)


def count_killed(found: Iterable[RuleFindings]) -> Counter[str]:
    """The number of mutants, equivalent ones left out, that each judge kills by itself."""
    return Counter(
        killer for e in found for f in e.findings if not f.is_proved_alike for killer in f.killers
    )


def summarise(found: list[RuleFindings]) -> Iterator[str]:
    """A line per judge, and one for each of the other outcomes."""
    first, alone = count_outcomes(found), count_killed(found)
    yield f"{sum(len(e.findings) for e in found)} mutants"
    for killer in KILLERS:
        yield f"  {JUDGES[killer]}: {alone[killer]}, {first[killer]} of them killed by it first"
    for outcome in (ALIKE, ARGUED, OPEN):
        yield f"  {outcome}: {first[outcome]}"


def tabulate(
    found: list[RuleFindings], group: Callable[[RuleFindings, MutantFinding], str]
) -> Iterator[list[object]]:
    """A row per group: the number of its mutants, and of those with each outcome."""
    groups: dict[str, list[tuple[str, MutantFinding]]] = {}
    for entry in found:
        for finding in entry.findings:
            groups.setdefault(group(entry, finding), []).append((entry.world, finding))
    for name, members in groups.items():
        outcomes = Counter(name_outcome(world, f) for world, f in members)
        killed = Counter(k for _, f in members if not f.is_proved_alike for k in f.killers)
        numbers = [f"{killed[k]} ({outcomes[k]})" for k in KILLERS]
        rest = [outcomes[ARGUED], outcomes[OPEN]]
        yield [name, len(members), outcomes[ALIKE], *numbers, *rest]

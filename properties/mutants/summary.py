"""How many mutants each judge kills, in words and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from properties.mutants.findings import KILLERS, Finding, RuleFindings, load_arguments

ALIKE, ARGUED, OPEN = "proved to be no mistake", "argued", "unexplained"

JUDGES = {
    "states": "another number of states",
    "lemma": "a lemma or sanity check falls",
    "guarantee": "a schedule is spoilt, or a guarantee",
    "recording": "a recording is refused",
    "steps": "another number of steps",
    "values": "other states, as many",
}
"""How each judge is told; in the order in which the first one to kill is named."""


def name_outcome(world: str, finding: Finding) -> str:
    """What is told of a mutant first: no mistake, its first killer, or why it survives."""
    if finding.is_proved_alike:
        return ALIKE
    if finding.killers:
        return finding.killers[0]
    return ARGUED if finding.name in load_arguments().get(world, {}) else OPEN


def describe_killers(world: str, finding: Finding) -> str:
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
    """How many mutants have each outcome."""
    return Counter(name_outcome(e.world, f) for e in found for f in e.findings)


def count_killed(found: Iterable[RuleFindings]) -> Counter[str]:
    """How many mutants that are mistakes each judge kills by itself."""
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
    found: list[RuleFindings], group: Callable[[RuleFindings, Finding], str]
) -> Iterator[list[object]]:
    """A row per group: mutants, those proved alike, killed by each judge, argued, unexplained."""
    groups: dict[str, list[tuple[str, Finding]]] = {}
    for entry in found:
        for finding in entry.findings:
            groups.setdefault(group(entry, finding), []).append((entry.world, finding))
    for name, members in groups.items():
        outcomes = Counter(name_outcome(world, f) for world, f in members)
        killed = Counter(k for _, f in members if not f.is_proved_alike for k in f.killers)
        numbers = [f"{killed[k]} ({outcomes[k]})" for k in KILLERS]
        rest = [outcomes[ARGUED], outcomes[OPEN]]
        yield [name, len(members), outcomes[ALIKE], *numbers, *rest]

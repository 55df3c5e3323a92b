"""The generated parts of ``spec/variants.md`` on the repairs of controller mode.

They are tried on the known issues of controller mode and on every schedule that refutes a claim
there: what is left is refuted for certain, what is gone may have another schedule.
"""

from __future__ import annotations

from functools import cache

from attrs import evolve

from properties.comparison.upgrades import CONTROLLER_REPAIRS
from properties.generated_text import render_table
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.scenarios.known_issues.repair import Fate, RepairOutcome, try_in
from properties.scenarios.known_issues.scenario import Scenario
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder, load_cells
from properties.verdicts.fault_sets.search import find_refutations
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.versions import apply_rule_set
from reference.worlds.replication.changes import VARIANTS

Cell = tuple[str, str]
"""A claim and a fault model."""


def get_repaired(repairs: tuple[str, ...]) -> ClaimedGroup:
    """The stock pair under a controller, with these repairs."""
    (release,) = {VARIANTS[name].on for name in CONTROLLER_REPAIRS}
    return apply_rule_set(evolve(STOCK_PAIR, variants=repairs), release)


@cache
def list_issues() -> tuple[Scenario, ...]:
    """The known issues of the stock pair under a controller."""
    return tuple(s for s in load_scenarios() if s.structure == get_repaired(()))


@cache
def find_refuted(repairs: tuple[str, ...]) -> frozenset[Cell]:
    """The cells that some known schedule refutes under these repairs."""
    structure, base = get_repaired(repairs), get_repaired(())
    fault_models = structure.world.fault_models
    return frozenset(
        (claim, fault_model.name)
        for claim, by_faults in find_refutations(
            structure, load_known_schedules(get_world_folder(base))
        ).items()
        for faults in by_faults
        for fault_model in fault_models
        if faults <= set(fault_model.admitted)
    )


@cache
def count_refuted() -> int:
    """How many cells are refuted without a repair."""
    return sum(v.word is VerdictWord.REFUTED for v in load_cells(get_repaired(())).values())


def list_opened(repairs: tuple[str, ...]) -> dict[str, list[str]]:
    """The fault models, by claim, under which no known schedule refutes any more."""
    opened: dict[str, list[str]] = {}
    for v in load_cells(get_repaired(())).values():
        is_refuted = v.word is VerdictWord.REFUTED
        if is_refuted and (v.guarantee, v.fault) not in find_refuted(repairs):
            opened.setdefault(v.guarantee, []).append(v.fault)
    return opened


def tell_outcome(outcome: RepairOutcome) -> str:
    """A word for a table."""
    return "still happens" if outcome.fate is Fate.SHOWN else "**stopped**"


def render_repairs() -> str:
    """A row per repair, and one for all together: which known issues they stop."""
    issues = list_issues()
    titles = [f"[{issue.name}](known_issues.md#{issue.name})" for issue in issues]
    chosen = [*((name,) for name in CONTROLLER_REPAIRS), CONTROLLER_REPAIRS]
    rows = [
        [
            f"[`{names[0]}`](#{names[0]})" if len(names) == 1 else "all together",
            *(tell_outcome(try_in(issue, get_repaired(names))) for issue in issues),
            str(sum(map(len, list_opened(names).values()))),
        ]
        for names in chosen
    ]
    return render_table(["Repair", *titles, f"of {count_refuted()} refuted cells open"], rows)


def render_repair(name: str) -> str:
    """What a repair is, the steps at which it stops issues, and the cells that it opens."""
    variant = VARIANTS[name]
    rules = ", ".join(f"`{rule}`" for rule in (*variant.rules, *variant.conditions))
    lines = [
        f"{variant.sentence} Comes from: {variant.comes_from} Overrides or adds: {rules}.",
        "",
    ]
    for issue in list_issues():
        outcome = try_in(issue, get_repaired((name,)))
        if outcome.fate is not Fate.SHOWN:
            lines.append(f"- `{issue.name}`: {outcome.describe()}.")
    lines += [
        f"- `{claim}`: no known schedule refutes it any more under {'; '.join(fault_models)}."
        for claim, fault_models in list_opened((name,)).items()
    ]
    return "\n".join(lines if len(lines) > 2 else [*lines, "No known schedule is stopped."])

"""The generated parts of ``spec/mutants.md``: numbers per world, kind and judge; survivors.

They are in the site only, and the numbers only where mutants have been measured.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from properties.generated_text import SPEC, Page, leave_to_site, render_table
from properties.judges import planted_results
from properties.judges.measurements import read_measurement
from properties.judges.planted import TARGETS, list_planted
from properties.judges.planted_results import SURVIVED, load_current
from properties.judges.planted_results import load_arguments as load_planted_arguments
from properties.mutants.derivation import MutantKind, list_mutants
from properties.mutants.findings import (
    ALIKE,
    ARGUED,
    KILLERS,
    MEASUREMENT,
    OPEN,
    RuleFindings,
    list_older,
    load_arguments,
    load_table,
    tabulate,
)
from properties.worlds.catalogue import WORLD_BY_TOPIC

HEAD = ("mutants", ALIKE, *KILLERS, ARGUED, OPEN)


@cache
def get_table() -> tuple[RuleFindings, ...]:
    """What was measured, read once."""
    return load_table()


def say_when(name: str, command: str, render: Callable[[], str]) -> Callable[[], str]:
    """The part with the commit of its measurement; without one, how to measure."""

    def render_measured() -> str:
        measured = read_measurement(name)
        if measured is None:
            return f"Nothing is measured in this checkout: `{command}` does it, in hours."
        return f"{measured.describe()}\n\n{render()}"

    return render_measured


def render_worlds() -> str:
    """A row per world, and one for all."""
    found = list(get_table())
    rows = [*tabulate(found, lambda entry, _: entry.world)]
    return render_table(("World", *HEAD), [*rows, *tabulate(found, lambda *_: "all")])


def render_kinds() -> str:
    """A row per kind of mistake."""
    found = sorted(tabulate(list(get_table()), lambda _, finding: finding.kind), key=_get_place)
    return render_table(("Mistake", *HEAD), found)


def _get_place(row: list[object]) -> int:
    return [kind.value for kind in MutantKind].index(str(row[0]))


def render_rules() -> str:
    """A row per rule."""
    rows = tabulate(list(get_table()), lambda entry, _: f"{entry.world}: `{entry.rule}`")
    return render_table(("Rule", *HEAD), rows)


def render_missing() -> str:
    """The numbers of mutants of each world that are not judged yet."""
    known = {(e.world, f.name) for e in get_table() for f in e.findings}
    lines = []
    for world in WORLD_BY_TOPIC:
        names = [m.name for m in list_mutants(world)]
        missing = sum((world, name) not in known for name in names)
        older = sum(entry.world == world for entry in list_older(get_table()))
        told = f"{missing} of them not judged yet; findings about {older} rules are from before"
        lines.append(f"- {world}: {len(names)} mutants, {told} another rule or lemma changed")
    return "\n".join(lines)


def render_survivors() -> str:
    """Every survivor with its argument, by world."""
    return "\n".join(
        f"- {world}, `{name}`: {argument}"
        for world, argued in load_arguments().items()
        for name, argument in argued.items()
    )


FOUND_BY = ("meaning", "lowering", "bytes", "premises", "proofs", "error")
"""The checks of the judges in their order; ``error``: one failed with an error."""


def render_planted() -> str:
    """A row per kind of mistake in the judges: how many there are, and each check finds first."""
    listed = list_planted()
    judged = load_current(listed).values()
    rows = []
    for kind in (*TARGETS, "all"):
        made = sum(kind in (planted.kind, "all") for planted in listed)
        found = [f.found_by for f in judged if kind in (f.kind, "all")]
        counts = (found.count(name) for name in (*FOUND_BY, SURVIVED))
        rows.append((kind, made, *counts, made - len(found)))
    head = ("Mistake in", "mistakes", *FOUND_BY, SURVIVED, "not judged yet")
    return render_table(head, rows)


def render_planted_survivors() -> str:
    """Every mistake in the judges that no check finds, with its reason."""
    return "\n".join(f"- `{name}`: {why}" for name, why in load_planted_arguments().items())


CHAPTER = SPEC / "mutants.md"
_RULES = (MEASUREMENT, "./rmqspec mutants")
_PLANTED = (planted_results.MEASUREMENT, "python -m spark_fuzz.judges.planted_run")

_PARTS: dict[str, Callable[[], str]] = {
    "worlds": say_when(*_RULES, render_worlds),
    "kinds": say_when(*_RULES, render_kinds),
    "survivors": render_survivors,
    "judged": say_when(*_RULES, render_missing),
    "rules": say_when(*_RULES, render_rules),
    "planted": say_when(*_PLANTED, render_planted),
    "planted survivors": render_planted_survivors,
}

PAGE = Page(CHAPTER, _PARTS, site_only=leave_to_site(CHAPTER, _PARTS))
"""The chapter."""

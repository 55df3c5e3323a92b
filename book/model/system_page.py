"""The generated parts of the system's chapter: what readers see of the log, guarantees, lemmas.

Rules are described in the chapters of their own worlds; this adds the rest.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from book.model.code_page import CodePage, Shelf, get_functions
from book.model.world_page import render_guarantees, render_lemmas, render_summary
from properties.language.property import Property, collect_properties
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds.system import lemma
from properties.worlds.system.parts import LOG_LEMMAS, READING_LEMMAS
from properties.worlds.system.world import SYSTEM
from properties.z3.fault_sets import Border, FaultSet
from properties.z3.vacuity import load_witnesses
from reference.language.leaves import compute_leaf_sorts
from reference.worlds.system.logs import SEEN

LEMMAS = collect_properties(lemma)
"""Those that hold both parts together."""


def render_sights() -> str:
    """A row for each rule of the log that has an effect for readers."""
    rows = [
        f"| `{name or rule}` | {inspect.getdoc(lifted.look)} |"
        + f" {', '.join(f'`{index}`' for index in lifted.indexes)} |"
        for rule, forms in SEEN.items()
        for name, lifted in forms
    ]
    return "\n".join(("| Rule | What readers see | Left open |", "| --- | --- | --- |", *rows))


def render_figures() -> str:
    """One sentence: how large the system is."""
    shown = SYSTEM.structures[0]
    leaves, lemmas = len(compute_leaf_sorts(shown)), SYSTEM.get_lemmas(shown)
    of_log, of_readers = (
        sum(name in part for name in lemmas) for part in (LOG_LEMMAS, READING_LEMMAS)
    )
    return (
        f"{len(shown.rules)} rules over {leaves} leaves; {of_log} lemmas of the log, "
        f"{of_readers} of readers and {len(LEMMAS)} of both hold in every state, under all faults."
    )


def render_excuses() -> str:
    """For each claim the complete list of sets that excuse it, and the open ones."""
    return "\n\n".join(map(_tell_excuses, load_borders(SYSTEM.structures[0])))


def _tell_excuses(border: Border) -> str:
    excuses = "\n".join(f"- {text};" for text in tell_sets([r.faults for r in border.refuted]))
    steps = [len(r.schedule) for r in border.refuted]
    told = f"{len(steps)} smallest sets, with schedules of {min(steps)} to {max(steps)} steps"
    left = "nothing is open"
    if border.undecided:
        left = f"{len(border.undecided)} sets are open: {'; '.join(tell_sets(border.undecided))}"
    return f"**`{border.guarantee}`** is excused by ({told}):\n\n{excuses}\n\nand {left}."


def tell_sets(sets: Iterable[FaultSet]) -> list[str]:
    """Sets of faults in few words: those that differ in one fault alone are merged."""
    left, families = set(sets), dict[FaultSet, list[FaultSet]]()
    while left:
        cores = Counter(faults - {name} for faults in left for name in faults)
        core = min(cores, key=lambda c: (-cores[c], len(c), sorted(c)))
        varied = frozenset(
            name for f in left if core < f for name in f - core if len(f - core) == 1
        )
        families.setdefault(varied, []).append(core)
        left -= {core | {name} for name in varied}
    return [
        " or ".join(map(code, sorted(varied)))
        + (", with " if any(cores) else "")
        + ", or with ".join(" and ".join(map(code, sorted(core))) for core in cores if core)
        for varied, cores in families.items()
    ]


def code(name: str) -> str:
    """A name as code."""
    return f"`{name}`"


def render_situations() -> str:
    """A part for each witness: its sentence, and the steps to it in a structure that has some."""
    return "\n\n".join(map(_render_situation, SYSTEM.witnesses.values()))


def _render_situation(witness: Property) -> str:
    structure, schedule = next(
        (structure, answer.schedule)
        for structure in SYSTEM.structures
        for answer in load_witnesses(structure)
        if answer.question == f"witness {witness.name}" and answer.schedule
    )
    told = "\n".join(f"{n}. `{action}`" for n, action in enumerate(schedule, start=1))
    return f"**`{witness.name}`**: {witness.sentence}\n\n{structure.name}:\n\n{told}"


SHELF = Shelf(
    ("properties.worlds.system.", "reference.worlds.system."),
    get_functions({}, {**SYSTEM.claims, **LEMMAS}),
)
PARTS: Mapping[str, Callable[[], str]] = {
    "figures": render_figures,
    "sights": render_sights,
    "summary": partial(render_summary, SYSTEM),
    "excuses": render_excuses,
    "guarantees": partial(render_guarantees, SYSTEM),
    "situations": render_situations,
    "lemmas": partial(render_lemmas, LEMMAS),
}
PAGE = CodePage(SYSTEM.chapter_path, PARTS, SHELF)
"""The chapter of the system."""

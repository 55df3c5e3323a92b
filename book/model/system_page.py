"""The generated parts of the system's chapter: what readers see of the log, guarantees, lemmas.

Rules are told in the chapters of their own worlds; here is what is added to them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial

from book.model.code_page import CodePage, Shelf, get_functions
from book.model.world_page import render_guarantees, render_lemmas, render_summary
from properties.property import Property, collect_properties
from properties.worlds.system import lemma
from properties.worlds.system.parts import LOG_LEMMAS, READING_LEMMAS
from properties.worlds.system.world import SYSTEM
from properties.z3.vacuity import load_witnesses
from reference.language.leaves import compute_leaf_sorts
from reference.worlds.system.logs import SEEN

LEMMAS = collect_properties(lemma)
"""Those that hold both parts together."""


def render_sights() -> str:
    """A row for each rule of the log of which readers see something."""
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
        f"{of_readers} of readers and {len(LEMMAS)} of both hold in every state, whatever strikes."
    )


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
    "guarantees": partial(render_guarantees, SYSTEM),
    "situations": render_situations,
    "lemmas": partial(render_lemmas, LEMMAS),
}
PAGE = CodePage(SYSTEM.chapter_path, PARTS, SHELF)
"""The chapter of the system."""

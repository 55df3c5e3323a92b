"""The generated parts of a world's chapter: rules, guarantees with their tables, lemmas.

``rmqspec docs --write`` writes them anew after rules or certificates have changed.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve

from book.links import read_title
from book.merged_table import render_merged
from book.model.code_page import CodePage, make_world_shelf, mark
from properties.generated_text import SPEC
from properties.language.property import Property
from properties.language.world import World
from properties.scenarios.counterexamples.cases import find_case
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.expectations import Expectation, find_expectation
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import OTHER_WORLDS
from reference.language.machine import record_machine
from reference.language.rule import Rule

NOT_ASKED = "-"
"""Stands where a claim's premise cannot hold: no verdict, since there is nothing to ask."""

VACUOUS_REASON = "Vacuous: "
"""How the reason of such an expected verdict begins."""


def render_rules(world: World) -> str:
    """A section for each rule: effect, actor, source, conditions."""
    return "\n\n".join("\n".join(_render_rule(world, rule)) for rule in world.rules.values())


def _render_rule(world: World, rule: Rule) -> Iterator[str]:
    yield f"### `{rule.name}`\n"
    yield _clean(inspect.getdoc(rule.function))
    yield ""
    yield f"- **Who:** {rule.who}"
    yield f"- **Source:** {rule.source}"
    conditions, arguments = list_conditions(world, rule)
    yield f"- **Enabled when:** {', '.join(f'`{c}`' for c in conditions)}"
    if arguments:
        yield f"- **Arguments:** {', '.join(f'`{a}`' for a in arguments)}"
    yield f"\n{mark(rule.name)}"


def list_conditions(world: World, rule: Rule) -> tuple[list[str], list[str]]:
    """The names of a rule's conditions and arguments, in any structure of its world."""
    conditions: dict[str, None] = {}
    arguments: dict[str, None] = {}
    for structure in world.structures:
        for recorded in record_machine(structure):
            if recorded.instance.rule is rule:
                conditions.update(dict.fromkeys(recorded.conditions))
                arguments.update(dict.fromkeys(name for name, *_ in recorded.arguments))
    return list(conditions), list(arguments)


def render_guarantees(world: World) -> str:
    """A section for each guarantee: sentence, table, and how it breaks."""
    return "\n\n".join("\n".join(_render_guarantee(world, name)) for name in world.claims)


def _render_guarantee(world: World, name: str) -> Iterator[str]:
    guarantee, shown = world.claims[name], world.structures[0]
    yield f"### `{name}`\n"
    yield f"> {_clean(guarantee.sentence)}\n"
    yield f"{guarantee.why}\n"
    yield _render_verdicts(world, name)
    for expected, fault_models in group_by_reason(world, name):
        cells = [load_cells(shown)[name, each] for each in fault_models]
        told = ", ".join(dict.fromkeys(map(describe_word, cells)))
        reason = expected.reason.removeprefix(VACUOUS_REASON)
        yield f"\n**{', '.join(fault_models)}** ({told}): {reason}"
        if expected.verdict is VerdictWord.REFUTED:
            yield f"\n{_render_refutation(shown, name, fault_models)}"
    yield f"\n{mark(name)}"


def _render_refutation(shown: Any, name: str, fault_models: Sequence[str]) -> str:
    """The page that draws one of these fault models; if there is none, the steps of the first."""
    case = find_case(name)
    if case is not None and case.structure == shown and case.fault in fault_models:
        place = case.page.relative_to(SPEC)
        return f'Drawn step by step for "{case.fault}": [{read_title(case.page)}]({place}).'
    steps = load_cells(shown)[name, fault_models[0]].schedule
    listed = "\n".join(f"{n}. `{action}`" for n, action in enumerate(steps, start=1))
    return f"{shown.name}, {fault_models[0]}:\n\n{listed}"


def _render_verdicts(world: World, name: str) -> str:
    cells = {structure.name: load_cells(structure) for structure in world.structures}
    asked = [
        each.name
        for each in world.fault_models
        if not all(found[name, each.name].is_vacuous for found in cells.values())
    ]
    return render_merged(list(cells), asked, lambda s, c: tell(cells[s][name, c]))


def group_by_reason(world: World, name: str) -> list[tuple[Expectation, list[str]]]:
    """The fault models of the first structure, by the entry that gives their reason."""
    found: dict[str, tuple[Expectation, list[str]]] = {}
    for each in world.fault_models:
        expected = find_expectation(name, world.structures[0], each.name)
        found.setdefault(expected.reason, (expected, []))[1].append(each.name)
    return list(found.values())


def tell(cell: Verdict) -> str:
    """A verdict in words, if the premise can hold at all.

    Which schedule is the shortest is not part of it: a chapter says how they were found.
    """
    return NOT_ASKED if cell.is_vacuous else describe(evolve(cell, is_shortest=True))


def render_lemmas(lemmas: Mapping[str, Property]) -> str:
    """A section for each lemma: sentence, and the counterexample that demanded it."""
    return "\n\n".join(
        f"### `{name}`\n\n> {_clean(lemma.sentence)}\n\nDemanded by: {lemma.why}\n\n{mark(name)}"
        for name, lemma in lemmas.items()
    )


def count_cells(world: World) -> dict[str, int]:
    """The numbers of proved, disputed and refuted verdicts of a world, and of those not asked."""
    words = Counter(
        NOT_ASKED if v.is_vacuous else "disputed" if v.disputed else v.word.value
        for s in world.structures
        for v in load_cells(s).values()
    )
    return dict(words)


def render_summary(world: World) -> str:
    """The number of verdicts, by word, and of what is not asked."""
    words = count_cells(world)
    places, not_asked = sum(words.values()), words.pop(NOT_ASKED, 0)
    told = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    grid = (
        f"{len(world.structures)} structures x {len(world.fault_models)} fault models x "
        f"{len(world.claims)} guarantees = {places}"
    )
    if not not_asked:
        return f"{grid} verdicts: {told}."
    return (
        f"{places - not_asked} verdicts: {told}. In {not_asked} more places of the grid "
        f"({grid}) the premise of the claim cannot hold, which is proved, too: nothing is asked "
        f'there, and the tables have "{NOT_ASKED}" or no column.'
    )


def describe_word(cell: Verdict) -> str:
    """The engine's word for a verdict, or its dispute."""
    return "not asked" if cell.is_vacuous else cell.dispute or cell.word.value


def _clean(text: str | None) -> str:
    return (text or "").replace("``", "`")


def make_page(world: World) -> CodePage:
    """The chapter of a world."""
    parts = {
        "rules": render_rules,
        "guarantees": render_guarantees,
        "summary": render_summary,
    }
    bound: dict[str, Callable[[], str]] = {
        name: partial(render, world) for name, render in parts.items()
    }
    bound["lemmas"] = partial(render_lemmas, world.lemmas)
    return CodePage(world.chapter_path, bound, make_world_shelf(world))


PAGES = tuple(map(make_page, OTHER_WORLDS))
"""The chapter of each world."""

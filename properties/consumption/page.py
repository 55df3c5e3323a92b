"""The generated parts of ``spec/consumption.md``: rules, guarantees with their tables, lemmas.

``python -m properties.consumption.page`` writes them anew after rules or certificates have changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from properties import certificates
from properties.consumption.world import (
    CONSUMPTION_FAULT_CLASSES,
    CONSUMPTION_RULES,
    CONSUMPTION_STRUCTURES,
    PROGRESS_GUARANTEES,
    PROGRESS_LEMMAS,
)
from properties.expectation import Expectation, find_expectation
from properties.generated_text import render_table, replace_parts
from properties.verdict import Verdict, VerdictWord
from reference.consumption.structure import ConsumptionStructure
from reference.machine import record_machine
from reference.rule import Rule

CHAPTER = Path(__file__).parents[2] / "spec" / "consumption.md"

SHOWN = CONSUMPTION_STRUCTURES[0]
"""The structure whose schedules the page shows: RocketMQ's defaults."""


def update(text: str) -> str:
    """The chapter with every generated part as it should be.

    Raises KeyError for a part that nobody generates, and InternalDisagreementError where a
    certificate is missing or was made from other rules.
    """
    return replace_parts(text, lambda name: PARTS[name]())


def render_rules() -> str:
    """A section for each rule: what it does, who acts, what it mirrors, when it is enabled."""
    return "\n\n".join("\n".join(_render_rule(rule)) for rule in CONSUMPTION_RULES.values())


def _render_rule(rule: Rule) -> Iterator[str]:
    yield f"### `{rule.name}`\n"
    yield _clean(inspect.getdoc(rule.function))
    yield ""
    yield f"- **Who:** {rule.who}"
    yield f"- **Source:** {rule.source}"
    conditions, arguments = list_conditions(rule)
    yield f"- **Enabled when:** {', '.join(f'`{c}`' for c in conditions)}"
    if arguments:
        yield f"- **Arguments:** {', '.join(f'`{a}`' for a in arguments)}"


def list_conditions(rule: Rule) -> tuple[list[str], list[str]]:
    """The names of a rule's conditions and arguments, in any structure of this world."""
    conditions: dict[str, None] = {}
    arguments: dict[str, None] = {}
    for structure in CONSUMPTION_STRUCTURES:
        for recorded in record_machine(structure):
            if recorded.instance.rule is rule:
                conditions.update(dict.fromkeys(recorded.conditions))
                arguments.update(dict.fromkeys(name for name, *_ in recorded.arguments))
    return list(conditions), list(arguments)


def render_guarantees() -> str:
    """A section for each guarantee: sentence, table, and how it fails."""
    return "\n\n".join("\n".join(_render_guarantee(name)) for name in PROGRESS_GUARANTEES)


def _render_guarantee(name: str) -> Iterator[str]:
    guarantee = PROGRESS_GUARANTEES[name]
    yield f"### `{name}`\n"
    yield f"> {_clean(guarantee.sentence)}\n"
    yield f"{guarantee.why}\n"
    head = ["Structure", *(c.name for c in CONSUMPTION_FAULT_CLASSES)]
    yield render_table(head, (_render_row(name, s) for s in CONSUMPTION_STRUCTURES))
    for expected, columns in group_by_reason(name):
        yield f"\n**{', '.join(columns)}** ({expected.verdict.value}): {expected.reason}"
        if expected.verdict is VerdictWord.REFUTED:
            yield f"\n{SHOWN.name}, {columns[0]}:\n"
            steps = load_cells(SHOWN)[name, columns[0]].schedule
            yield "\n".join(f"{n}. `{action}`" for n, action in enumerate(steps, start=1))


def _render_row(name: str, structure: ConsumptionStructure) -> list[str]:
    cells = (load_cells(structure)[name, c.name] for c in CONSUMPTION_FAULT_CLASSES)
    return [
        structure.name,
        *(v.word.value if v.steps is None else f"refuted, {v.steps} steps" for v in cells),
    ]


def group_by_reason(name: str) -> list[tuple[Expectation, list[str]]]:
    """The columns of the shown structure, by the entry that says why they are as they are."""
    found: dict[str, tuple[Expectation, list[str]]] = {}
    for column in CONSUMPTION_FAULT_CLASSES:
        expected = find_expectation(name, SHOWN, column.name)
        found.setdefault(expected.reason, (expected, []))[1].append(column.name)
    return list(found.values())


@cache
def load_cells(structure: ConsumptionStructure) -> dict[tuple[str, str], Verdict]:
    """The certified cells of a structure, by guarantee and column."""
    cells = certificates.decode_cells(structure, certificates.load_required(structure))
    return {(v.guarantee, v.fault): v for v in cells}


def render_lemmas() -> str:
    """A line for each lemma."""
    rows = [[f"`{n}`", _clean(p.sentence), p.why] for n, p in PROGRESS_LEMMAS.items()]
    return render_table(["Lemma", "Says", "Demanded by"], rows)


def _clean(text: str | None) -> str:
    return (text or "").replace("``", "`")


PARTS = {"rules": render_rules, "guarantees": render_guarantees, "lemmas": render_lemmas}
"""What stands between the marks, by name."""


def main() -> None:
    """Write the generated parts of the chapter anew."""
    CHAPTER.write_text(update(CHAPTER.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

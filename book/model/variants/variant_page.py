"""The generated parts of ``spec/variants.md``: the changes of each variant, with schedules.

``rmqspec docs --write spec/variants.md`` writes them anew after certificates have changed.
"""

from __future__ import annotations

from functools import cache, partial

from attrs import evolve

from book.model.variants.controller_repair_page import render_repair, render_repairs
from properties.comparison.upgrades import (
    COMPARED_VARIANTS,
    CONTROLLER_REPAIRS,
    VerdictChange,
    compare,
    group_alike,
)
from properties.generated_text import SPEC, Page, render_table
from properties.verdicts.certificates import load_cells, load_required
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import Tag, list_tagged_groups
from properties.z3.ranking import rank_steps
from reference.worlds.replication.changes import VARIANTS


@cache
def compute_changes(variant: str) -> tuple[VerdictChange, ...]:
    """Every verdict in which a variant differs, for the only structure that is compared."""
    (structure,) = list_tagged_groups(Tag.COMPARED)
    return tuple(compare(structure, load_cells(evolve(structure, variants=(variant,))).values()))


def render_summary() -> str:
    """One row per variant: the numbers of verdicts that are better and worse than in 4.4.0."""
    lines = [
        "| Variant | proved instead of refuted | refuted later, or open | worse | may never rest |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in COMPARED_VARIANTS:
        changes = compute_changes(name)
        better = [c for c in changes if c.is_better]
        proved = sum(c.after.word is VerdictWord.PROVED for c in better)
        endless = ", ".join(f"`{step}`" for step in find_endless_steps(name)) or "no"
        disputed = sum(bool(c.after.disputed) for c in better)
        of_them = f" ({disputed} disputed)" if disputed else ""
        counts = f"{proved}{of_them} | {len(better) - proved} | {len(changes) - len(better)}"
        lines.append(f"| [`{name}`](#{name}) | {counts} | {endless} |")
    return "\n".join(lines)


@cache
def find_endless_steps(variant: str) -> tuple[str, ...]:
    """Healing steps that a group under this variant may take for ever."""
    structure = evolve(list_tagged_groups(Tag.COMPARED)[0], variants=(variant,))
    steps = rank_steps(structure, tuple(load_required(structure)["inductive_set"]))
    return tuple(step.instance for step in steps if not step.is_smaller)


def render_variant(name: str) -> str:
    """The sentence of a variant, its origin, and every verdict that it changes."""
    variant = VARIANTS[name]
    rules = ", ".join(f"`{rule}`" for rule in (*variant.rules, *variant.conditions))
    lines = [
        f"{variant.sentence} Comes from: {variant.comes_from} Overrides or adds: {rules}.",
        "",
        render_changes(name),
    ]
    return "\n".join(lines)


def render_changes(name: str) -> str:
    """The verdicts that a variant changes; equal ones of one claim share a row."""
    rows = [
        [
            f"`{alike[0].after.guarantee}`",
            ", ".join(change.after.fault for change in alike),
            describe(alike[0].before),
            describe(alike[0].after),
        ]
        for alike in group_alike(compute_changes(name))
    ]
    if not rows:
        return "No verdict changes."
    return render_table(["Claim", "Fault models", "RocketMQ 4.4.0", "with the variant"], rows)


PAGE = Page(
    SPEC / "variants.md",
    {
        "summary": render_summary,
        **{name: partial(render_variant, name) for name in COMPARED_VARIANTS},
        "controller_repairs": render_repairs,
        **{name: partial(render_repair, name) for name in CONTROLLER_REPAIRS},
    },
)
"""The chapter."""

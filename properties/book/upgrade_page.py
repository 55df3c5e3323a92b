"""The generated parts of ``spec/upgrades.md``: every pair of releases, for each stock folder.

Pairs that change the same cells in the same way share a letter; each letter is told once, with the
schedules. ``rmqspec docs --write spec/upgrades.md`` writes them anew after certificates have
changed.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import cache, partial

from properties.certificates import load_cells
from properties.certified_cells import describe
from properties.comparison import Change
from properties.drawing import draw_cell
from properties.generated_text import SPEC, Page, count_steps, render_table
from properties.sight_search import RULE_SET_NAMES, get_released
from properties.stock import STOCK_FOLDERS
from properties.upgrade import Turn, compute_changes, get_turn, group_alike, list_turned
from properties.verdict import VerdictWord
from reference.structure import Structure

NOTHING, BACK = "-", "↩"
TITLES = {
    Turn.WORSE: "worse",
    Turn.BETTER: "better",
    Turn.OPEN: "open",
    Turn.LATER: "refuted later",
    Turn.SOONER: "refuted sooner",
}


@cache
def compute_pairs(stock: str) -> dict[tuple[str, str], list[Change]]:
    """The changed cells of every pair of releases, the earlier one first or not."""
    cells = {
        name: load_cells(get_released(name, STOCK_FOLDERS[stock])).values()
        for name in RULE_SET_NAMES
    }
    return {
        (before, after): compute_changes(cells[before], cells[after])
        for before in RULE_SET_NAMES
        for after in RULE_SET_NAMES
        if before != after
    }


@cache
def assign_letters(stock: str) -> dict[str, tuple[str, str]]:
    """For each way in which cells change a letter, with the first pair that changes them so.

    The way back has no letter of its own.
    """
    letters: dict[str, tuple[str, str]] = {}
    for pair, changes in compute_pairs(stock).items():
        if changes and not {pair, pair[::-1]} & set(_list_alike(stock, letters)):
            letters[string.ascii_uppercase[len(letters)]] = pair
    return letters


def _list_alike(stock: str, letters: dict[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that have a letter already."""
    pairs = compute_pairs(stock)
    known = {_spell(pairs[pair]) for pair in letters.values()}
    return [pair for pair, changes in pairs.items() if _spell(changes) in known]


def get_letter(stock: str, pair: tuple[str, str]) -> str:
    """The letter of a pair, with a mark for the way back; a dash where no cell changes."""
    pairs = compute_pairs(stock)
    for letter, first in assign_letters(stock).items():
        if _spell(pairs[first]) == _spell(pairs[pair]):
            return letter
        if _spell(pairs[first]) == _spell(pairs[pair[::-1]]):
            return f"{BACK}{letter}"
    return NOTHING


def _spell(changes: list[Change]) -> str:
    return repr(
        [(c.after.guarantee, c.after.fault, describe(c.before), describe(c.after)) for c in changes]
    )


def render_pairs(stock: str) -> str:
    """One row per release that is left, one column per release that is entered."""
    rows = [
        [
            f"**{before}**",
            *(
                " " if before == after else get_letter(stock, (before, after))
                for after in RULE_SET_NAMES
            ),
        ]
        for before in RULE_SET_NAMES
    ]
    return render_table(["from, to", *RULE_SET_NAMES], rows)


def render_letters(stock: str) -> str:
    """What each letter stands for: counts, cells, and the schedule of each kind of worse cell."""
    return "\n".join(_render_letters(stock))


def _render_letters(stock: str) -> Iterator[str]:
    if not assign_letters(stock):
        yield "No pair of releases changes any cell."
    told: set[str] = set()
    for letter, pair in assign_letters(stock).items():
        changes = compute_pairs(stock)[pair]
        counts = [
            f"{len(list_turned(changes, t))} {TITLES[t]}" for t in Turn if list_turned(changes, t)
        ]
        yield f"**{letter}**, for example {pair[0]} to {pair[1]}: {', '.join(counts)}.\n"
        yield render_changes(changes)
        yield from _render_schedules(STOCK_FOLDERS[stock], pair[1], changes, told)


def render_changes(changes: list[Change]) -> str:
    """The changed cells, those of one guarantee that read alike in one row."""
    ordered = sorted(group_alike(changes), key=lambda g: list(TITLES).index(get_turn(g[0])))
    rows = [
        [
            TITLES[get_turn(alike[0])],
            f"`{alike[0].after.guarantee}`",
            ", ".join(c.after.fault for c in alike),
            describe(alike[0].before),
            describe(alike[0].after),
        ]
        for alike in ordered
    ]
    return render_table(["", "Claim", "Faults", "before", "after"], rows) + "\n"


def _render_schedules(
    structure: Structure, release: str, changes: list[Change], told: set[str]
) -> Iterator[str]:
    """One schedule of each claim that is refuted now and was not, or is refuted later."""
    claims: set[str] = set()
    for change in changes:
        verdict, turn = change.after, get_turn(change)
        is_telling = turn in (Turn.WORSE, Turn.LATER) and verdict.word is VerdictWord.REFUTED
        if not is_telling or verdict.guarantee in claims:
            continue
        claims.add(verdict.guarantee)
        steps = count_steps(len(verdict.schedule))
        title = f"{verdict.guarantee}, {verdict.fault}, in {release}: {steps}"
        if title not in told:
            told.add(title)
            drawn = draw_cell(get_released(release, structure), verdict)
            yield f"<details><summary>{title}</summary>\n\n```text\n{drawn}\n```\n\n</details>\n"


PAGE = Page(
    SPEC / "upgrades.md",
    {
        f"{stock} {name}": partial(render, stock)
        for stock in STOCK_FOLDERS
        for name, render in (("pairs", render_pairs), ("letters", render_letters))
    },
)
"""The chapter."""

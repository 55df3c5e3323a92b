"""What may be done after the master is gone: a row for each situation, a column for each course."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from properties.generated_text import render_table
from properties.scenarios.courses.two_masters import ENDS_OF_TWO_MASTERS, list_ends
from properties.scenarios.procedures.outages import (
    EQUAL,
    FOLLOWED,
    KEPT,
    MasterOutage,
    load_outages,
)
from properties.scenarios.procedures.recoveries import RecoveryOutcome

HEAD = (
    "What has happened to the master",
    "`brokerRole`",
    "Start it",
    "Start it, copy its store to the slave",
    "Copy the slave's store to it",
    "Promote, old master away",
    "Promote, then copy back",
    "Promote, old store emptied",
    "Promote, old store as it is",
)

TryOut = Callable[[MasterOutage, str], tuple[RecoveryOutcome, ...]]
"""Gives the outcomes of a row, from a situation and a role."""


def render_outages() -> str:
    """The table."""
    return render_table(HEAD, list_rows())


def render_two_masters() -> str:
    """The same for two masters at once: how it may end."""
    titles = (each.title for each in ENDS_OF_TWO_MASTERS)
    return render_table((*HEAD[:2], *titles), list_rows(list_ends))


def list_rows(try_out: TryOut = MasterOutage.list_outcomes) -> Iterator[tuple[str, ...]]:
    """Equal rows of one situation are one."""
    for outage in load_outages():
        by_cells: dict[tuple[str, ...], list[str]] = {}
        for role in outage.harm:
            cells = tuple(map(say_outcome, try_out(outage, role)))
            by_cells.setdefault(cells, []).append(f"`{role}`")
        for cells, roles in by_cells.items():
            yield (outage.words, ", ".join(roles), *cells)


def say_outcome(outcome: RecoveryOutcome) -> str:
    """The gravest thing that a course does, or that it is good."""
    if outcome.refused:
        return "not modelled" if "is_content_known" in outcome.refused else "-"
    if outcome.is_lost or KEPT[0] in outcome.broken:
        return "**loses**"
    if set(KEPT) & set(outcome.broken):
        return "**lacks**"
    if EQUAL in outcome.broken:
        return "**differs**"
    return "**stuck**" if FOLLOWED in outcome.broken or outcome.is_restless else "good"

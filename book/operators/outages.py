"""What may be done after the master is gone: a row for each situation, a column for each course."""

from __future__ import annotations

from collections.abc import Iterator

from properties.generated_text import render_table
from properties.scenarios.procedures.outages import EQUAL, FOLLOWED, KEPT, load_outages
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


def render_outages() -> str:
    """The table."""
    return render_table(HEAD, list_rows())


def list_rows() -> Iterator[tuple[str, ...]]:
    """Equal rows of one situation are one."""
    for outage in load_outages():
        by_cells: dict[tuple[str, ...], list[str]] = {}
        for role in outage.harm:
            cells = tuple(map(say_outcome, outage.list_outcomes(role)))
            by_cells.setdefault(cells, []).append(f"`{role}`")
        for cells, roles in by_cells.items():
            yield (outage.words, ", ".join(roles), *cells)


def say_outcome(outcome: RecoveryOutcome) -> str:
    """The gravest thing that a course does, or that it is good."""
    if outcome.refused:
        return "not modelled" if "is_content_known" in outcome.refused else "-"
    if outcome.is_lost:
        return "**loses**"
    if set(KEPT) & set(outcome.broken):
        return "**lacks**"
    if EQUAL in outcome.broken:
        return "**differs**"
    return "**stuck**" if FOLLOWED in outcome.broken or outcome.is_restless else "good"

"""The whole catalogue: scenarios, decisions, and issues outside the model with the reason."""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from attrs import field, frozen

from properties.scenarios.known_issues.decisions import Decision, as_cases
from properties.scenarios.known_issues.scenario import IssueError, Scenario, as_actions, as_evidence

FOLDER = Path(__file__).parent
SCENARIO_FILES = ("acknowledgements.toml", "statuses.toml", "controller.toml", "other_worlds.toml")
DECISION_FILE = "decisions.toml"
OUTSIDE_FILE = "outside.toml"

_NUMBER = re.compile(r"(?:#|RMQ-|RIP-)(\d+)$", re.IGNORECASE)
NEIGHBOURS = 4


@frozen
class Outside:
    """A known issue that the model cannot show, and why."""

    rows: tuple[str, ...] = field(converter=tuple)
    sources: tuple[str, ...] = field(converter=tuple)
    title: str
    why: str


Entry: TypeAlias = Scenario | Decision | Outside
"""An entry of the catalogue."""


@cache
def load_scenarios() -> tuple[Scenario, ...]:
    """Every scenario, in the order of the files."""
    return tuple(
        Scenario(
            structure_name=entry.pop("structure"),
            schedule=as_actions(entry.pop("schedule")),
            seen=as_evidence(entry.pop("seen", ())),
            **entry,
        )
        for name in SCENARIO_FILES
        for entry in _read(name, "scenario")
    )


@cache
def load_decisions() -> tuple[Decision, ...]:
    """Every decision, in the order of the file."""
    return tuple(
        Decision(
            question_name=entry.pop("question"),
            cases=as_cases(entry.pop("cases")),
            seen=as_evidence(entry.pop("seen", ())),
            **entry,
        )
        for entry in _read(DECISION_FILE, "decision")
    )


@cache
def load_outside() -> tuple[Outside, ...]:
    """Every issue outside the model, in the order of the file."""
    return tuple(Outside(**entry) for entry in _read(OUTSIDE_FILE, "outside"))


def load_catalogue() -> tuple[Entry, ...]:
    """Every entry: scenarios, decisions, and issues outside the model."""
    return (*load_scenarios(), *load_decisions(), *load_outside())


def _read(name: str, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads((FOLDER / name).read_text())[kind]
    return entries


def find_entries(text: str) -> tuple[Entry, ...]:
    """The entries of an issue: by its number with or without its tracker, or by a scenario's name.

    Raises IssueError, with the nearest names, for a text that names none.
    """
    asked = text.strip().lower().removeprefix("#")
    found = tuple(e for e in load_catalogue() if asked in _list_names(e))
    if found:
        return found
    nearest = ", ".join(_find_nearest(asked))
    raise IssueError(f"{text!r} is not in the catalogue of known issues; nearest are {nearest}")


def _list_names(entry: Entry) -> set[str]:
    """All names of an entry: ``6767``, ``ali#359``, ``359``, ``s1``, its scenario's name."""
    sources = [s.lower() for s in entry.sources]
    numbers = {_get_number(s) for s in sources if _NUMBER.search(s)}
    own = set() if isinstance(entry, Outside) else {entry.name}
    return {*(s.removeprefix("#") for s in sources), *numbers, *own}


def _get_number(source: str) -> str:
    return str(_NUMBER.findall(source)[0])


def _find_nearest(asked: str) -> list[str]:
    """For a number the next ones above and below, for a word the most similar names."""
    if asked.isdigit():
        sources = {s for e in load_catalogue() for s in e.sources if _NUMBER.search(s)}
        by_distance = sorted(sources, key=lambda s: (abs(int(_get_number(s)) - int(asked)), s))
        return by_distance[:NEIGHBOURS]
    names = sorted({n for e in load_catalogue() for n in _list_names(e)})
    return difflib.get_close_matches(asked, names, NEIGHBOURS, cutoff=0.0)


def find_scenario(name: str) -> Scenario:
    """The scenario of this name. Raises KeyError."""
    return {s.name: s for s in load_scenarios()}[name]

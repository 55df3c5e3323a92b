"""What the explorer can open: counterexamples, known issues, refuted verdicts, and the tour."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from book.explorer.deployments import ExplorerStructure, list_deployments, name_structure
from book.links import read_title
from properties.exports.javascript import encode_sizes
from properties.scenarios.counterexamples.cases import CounterexamplePage, find_case, load_cases
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.scenarios.known_issues.scenario import Scenario
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import VerdictWord
from reference.language.machine import Action

TOUR_FILE = Path(__file__).parent / "tour.toml"


def encode_schedule(schedule: Iterable[Action]) -> str:
    """A schedule as addresses have it: ``put.0:size_bytes=1,connect_slave.0``."""
    return ",".join(map(_encode_step, schedule))


def _encode_step(action: Action) -> str:
    name = action.instance.replace("[", ".").replace(",", ".").rstrip("]")
    chosen = ";".join(f"{argument}={value}" for argument, value in action.arguments.items())
    return f"{name}:{chosen}" if chosen else name


@frozen
class Opened:
    """A schedule with all that it needs."""

    name: str
    """Its name in addresses: the claim of a counterexample, the name of an issue."""
    title: str
    structure: str
    """The key of a deployment."""
    faults: str
    """The fault model."""
    shows: str
    """The claim that breaks at its end, or the phenomenon that is seen there."""
    section: str
    """The section of the book about it."""
    schedule: str
    sizes: dict[str, Any] = field(factory=dict)
    """Sizes other than the small ones."""


def list_counterexamples() -> Iterator[Opened]:
    """One for each page about a counterexample."""
    for case in load_cases():
        section = f"counterexamples/{case.claim}.html"
        schedule = encode_schedule(case.schedule)
        where = (name_structure(case.structure), case.fault)
        yield Opened(case.claim, find_title(case), *where, case.claim, section, schedule)


def find_title(case: CounterexamplePage) -> str:
    """The heading of the page about a counterexample; an installed copy has no such page."""
    if case.page.exists():
        return read_title(case.page)
    return case.claim.replace("_", " ").capitalize()


def list_issues() -> Iterator[Opened]:
    """One for each schedule of a known issue."""
    for scenario in load_scenarios():
        title = f"{', '.join(scenario.sources)}: {scenario.title}"
        yield Opened(
            scenario.name,
            title,
            name_structure(scenario.structure),
            scenario.fault,
            scenario.shows,
            f"known_issues.html#{scenario.name}",
            encode_schedule(scenario.schedule),
            find_other_sizes(scenario),
        )


def find_other_sizes(scenario: Scenario) -> dict[str, Any]:
    """The sizes of an issue that are not those of a search."""
    small = encode_sizes(scenario.structure.world.sizes.search)
    own = encode_sizes(scenario.parameters)
    return {name: value for name, value in own.items() if value != small[name]}


class Cells:
    """The refuted verdicts of all deployments; a shared schedule is stored once."""

    def __init__(self) -> None:
        self.schedules: list[str] = []
        self._places: dict[str, int] = {}

    def list_cells(self, deployment: ExplorerStructure) -> list[list[str | int]]:
        """Claim, weakest fault model and place of each schedule; nothing without a certificate."""
        if deployment.structure.messages > 1:
            return []
        found: dict[tuple[str, int], str] = {}
        for cell in find_cells(deployment.structure).values():
            if cell.word is VerdictWord.REFUTED:
                key = (cell.guarantee, self.find_place(encode_schedule(cell.schedule)))
                found.setdefault(key, cell.fault)
        return [[claim, fault, place] for (claim, place), fault in found.items()]

    def find_place(self, schedule: str) -> int:
        """Where a schedule is stored, from now on."""
        if schedule not in self._places:
            self._places[schedule] = len(self.schedules)
            self.schedules.append(schedule)
        return self._places[schedule]


def list_phenomena(deployment: ExplorerStructure) -> dict[str, Scenario]:
    """What issues show in this structure besides claims, by name."""
    return {
        scenario.shows: scenario
        for scenario in load_scenarios()
        if name_structure(scenario.structure) == deployment.key and not scenario.is_claim
    }


@frozen
class Note:
    """The text at the first step of a rule."""

    rule: str
    text: str


@frozen
class TourStop:
    """A stop of the tour: a counterexample with a few words."""

    claim: str
    title: str
    begin: str
    """What is said before the first step."""
    end: str
    """What is said after the last one."""
    note: tuple[Note, ...]


@cache
def load_tour() -> tuple[TourStop, ...]:
    """All stops. Raises LookupError for a claim that has no counterexample page."""
    entries = tomllib.loads(TOUR_FILE.read_text(encoding="utf-8"))["stop"]
    stops = (TourStop(**{**e, "note": tuple(Note(**n) for n in e["note"])}) for e in entries)
    return tuple(stop for stop in stops if _require_case(stop.claim))


def _require_case(claim: str) -> bool:
    if find_case(claim) is None:
        raise LookupError(f"{claim} has no counterexample page")
    return True


def describe_opened() -> dict[str, Any]:
    """All that can be opened, as data."""
    cells = Cells()
    return {
        "counterexamples": [asdict(each) for each in list_counterexamples()],
        "issues": [asdict(each) for each in list_issues()],
        "tour": [asdict(stop) for stop in load_tour()],
        "cells": {d.key: cells.list_cells(d) for d in list_deployments()},
        "schedules": cells.schedules,
    }

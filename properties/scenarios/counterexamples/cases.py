"""The verdict that each counterexample page shows, and its schedule."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.generated_text import SPEC
from properties.schedules.judgement import JudgedStep, replay
from properties.verdicts.certificates import load_cells, load_refuted
from properties.verdicts.verdict import Verdict
from properties.worlds import PROVED_STRUCTURES, find_world
from reference.language.machine import Action
from reference.worlds.replication.structure import Structure

CASES_FILE = Path(__file__).parent / "cases.toml"
FOLDER = SPEC / "counterexamples"
"""The folder of pages and diagrams."""


@frozen
class Citation:
    """A line of a recording that a page cites by hand, and the fields that it quotes."""

    line: str
    """For example ``x3_master_crash_slave_offsets seq 81 (query_consumer_offset)``."""
    told: tuple[str, ...] = field(converter=tuple)
    """Names of fields."""


@frozen
class Case:
    """A broken guarantee, and the verdict that its page shows."""

    claim: str
    fault: str
    """A fault model that breaks it."""
    structure_name: str
    recorded: tuple[Citation, ...] = ()
    """The lines that show it, if no class of refutations or known issue names them."""

    @property
    def structure(self) -> Any:
        """The deployment, the consumer or the table."""
        return PROVED_STRUCTURES[self.structure_name]

    @property
    def is_replication(self) -> bool:
        """It belongs to the world of brokers and logs, which has releases and variants."""
        return isinstance(self.structure, Structure)

    @property
    def page(self) -> Path:
        """The page about it."""
        return FOLDER / f"{self.claim}.md"

    @property
    def picture(self) -> Path:
        """Its diagram."""
        return FOLDER / f"{self.claim}.svg"

    @property
    def sentence(self) -> str:
        """The guarantee's sentence."""
        return find_world(self.structure).claims[self.claim].sentence.replace("``", "`")

    @property
    def cells(self) -> tuple[Verdict, ...]:
        """Every verdict on the guarantee in this structure."""
        return tuple(v for v in load_cells(self.structure).values() if v.guarantee == self.claim)

    @property
    def verdict(self) -> Verdict:
        """The verdict itself. Raises LookupError if it is not refuted."""
        return load_refuted(self.structure, self.claim, self.fault)

    @property
    def schedule(self) -> tuple[Action, ...]:
        """The schedule on the page."""
        return self.verdict.schedule

    @property
    def is_shortest(self) -> bool:
        """No schedule is shorter: Z3 decided that with these rules, or all states were searched."""
        return self.verdict.is_shortest or self.is_counted

    @property
    def is_counted(self) -> bool:
        """A breadth-first search over all states reaches it; a nightly test repeats that."""
        world = find_world(self.structure)
        return world.depth_limit != 0 and self.claim in world.guarantees

    @property
    def parameters(self) -> Any:
        """The sizes in which it was searched, with the faults of its model."""
        return find_world(self.structure).make_search_parameters(
            find_world(self.structure).get_fault_model(self.fault)
        )

    def walk(self) -> list[JudgedStep]:
        """Every state of the schedule, judged by the guarantee. Raises ScheduleError."""
        return list(replay(self.structure, self.parameters, self.schedule, (self.claim,)))


@cache
def load_cases() -> tuple[Case, ...]:
    """Every page, in reading order."""
    listed: list[dict[str, Any]] = tomllib.loads(CASES_FILE.read_text(encoding="utf-8"))["case"]
    return tuple(map(read_case, listed))


def find_case(claim: str) -> Case | None:
    """The case of a claim; None if it has none. A claim's name belongs to one world."""
    return next((case for case in load_cases() if case.claim == claim), None)


def read_case(entry: Mapping[str, Any]) -> Case:
    """A case from the data."""
    cited = tuple(Citation(**each) for each in entry.get("recorded", ()))
    return Case(entry["claim"], entry["fault"], entry["structure"], cited)

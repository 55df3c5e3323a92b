"""The verdict that each counterexample page shows, and its schedule."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from properties.generated_text import SPEC, count_steps
from properties.language.world import ClaimedStructure
from properties.scenarios.known_issues.scenario import as_actions
from properties.schedules.judgement import JudgedStep, ScheduleError, replay
from properties.verdicts.certificates import load_cells, load_refuted
from properties.verdicts.verdict import Verdict
from properties.worlds.catalogue import STRUCTURES, WORLDS
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import SYSTEM
from reference.language.machine import Action

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
class CounterexamplePage:
    """A broken guarantee, and the verdict that its page shows."""

    claim: str
    fault: str
    """A fault model that breaks it."""
    structure_name: str
    recorded: tuple[Citation, ...] = ()
    """The lines that show it, if no class of refutations or known issue names them."""
    told: tuple[Action, ...] = ()
    """A longer schedule that is shown in place of the shortest one; empty if that one is shown."""
    remark: str = ""
    """Why real brokers cannot take the shortest one. A sentence without a full stop."""

    @property
    def structure(self) -> ClaimedStructure:
        """The deployment, the consumer or the table."""
        return STRUCTURES[self.structure_name]

    @property
    def group(self) -> ClaimedGroup | None:
        """Its structure, if it is one of brokers and logs, which have releases and variants."""
        return self.structure if isinstance(self.structure, ClaimedGroup) else None

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
        return self.structure.world.claims[self.claim].sentence.replace("``", "`")

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
        return self.told or self.verdict.schedule

    @property
    def is_shortest(self) -> bool:
        """No schedule is shorter: Z3 decided that with these rules, or all states were searched."""
        return not self.told and (self.verdict.is_shortest or self.is_counted)

    @property
    def is_counted(self) -> bool:
        """A breadth-first search over all states reaches it; a nightly test repeats that."""
        world = self.structure.world
        return world.depth_limit != 0 and self.claim in world.guarantees

    @property
    def parameters(self) -> Any:
        """The sizes in which it was searched, with the faults of its model."""
        return self.structure.world.make_search_parameters(
            self.structure.world.get_fault_model(self.fault)
        )

    def walk(self) -> list[JudgedStep]:
        """Every state of the schedule, judged by the guarantee. Raises ScheduleError."""
        return list(replay(self.structure, self.parameters, self.schedule, (self.claim,)))


@cache
def load_cases() -> tuple[CounterexamplePage, ...]:
    """Every page, in reading order: the log, consumers, tables, deliveries, the whole system."""
    files = (world.reasons / "counterexamples.toml" for world in (*WORLDS, SYSTEM))
    listed = (tomllib.loads(file.read_text(encoding="utf-8")) for file in files if file.exists())
    return tuple(read_case(entry) for each in listed for entry in each["counterexample"])


def find_case(claim: str) -> CounterexamplePage | None:
    """The case of a claim; None if it has none. A claim's name belongs to one world."""
    return next((case for case in load_cases() if case.claim == claim), None)


def read_case(entry: Mapping[str, Any]) -> CounterexamplePage:
    """A case from the data."""
    cited = tuple(Citation(**each) for each in entry.get("recorded", ()))
    told = as_actions(entry.get("steps", ()))
    remark = entry.get("remark", "")
    return CounterexamplePage(
        entry["claim"], entry["fault"], entry["structure"], cited, told, remark
    )


@frozen
class ShownSchedule:
    """The schedule that is shown of a refuted verdict."""

    verdict: Verdict
    """The verdict with this schedule."""
    remark: str = ""
    """Why it is not the shortest one; empty if it is."""


def choose_schedule(structure: ClaimedStructure, verdict: Verdict) -> ShownSchedule:
    """A schedule that real brokers can take, if the shortest one is none and a page has another.

    A page's schedule serves every structure in which it breaks the claim.
    """
    case = find_case(verdict.guarantee)
    if case is None or not case.told or verdict.fault != case.fault:
        return ShownSchedule(verdict)
    world = structure.world
    sizes = world.make_search_parameters(world.get_fault_model(verdict.fault))
    try:
        *_, last = replay(structure, sizes, case.told, (verdict.guarantee,))
    except (ScheduleError, KeyError):
        # Its steps do not exist here: for example there is no slave, or another world.
        return ShownSchedule(verdict)
    if not last.violated:
        return ShownSchedule(verdict)
    steps = count_steps(len(verdict.schedule))
    remark = f"The shortest schedule in the model has {steps}: {case.remark}."
    return ShownSchedule(evolve(verdict, schedule=case.told), remark)

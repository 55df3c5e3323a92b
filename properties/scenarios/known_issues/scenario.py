"""A known issue as a schedule, which shows it at its last step and has no needless step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, ScheduleError, find_needless_steps, follow
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import Action
from reference.language.operators import negate
from reference.releases.versions import Version, find_version

CERTAINTIES = {
    "S": "stated in the thread",
    "R": "our reading of the code",
    "C": "a fact of the code",
    "S/R": "stated in part, the rest is our reading",
}
"""The certainty of the mechanism: the survey's column ``Ev``, and its meaning."""


class IssueError(ValueError):
    """Raised for a number that is not in the catalogue; one line, with its nearest neighbours."""


@frozen
class RecordedEvidence:
    """A line of a recording, with the fields that show something."""

    recording: str
    """For example ``h_slave_ahead_aligned``."""
    seq: int
    event: str
    shows: Mapping[str, Any] = field(factory=dict)
    """Fields of the line with their values, by path: ``result.status``."""

    def __str__(self) -> str:
        return f"{self.recording} seq {self.seq} ({self.event})"


def as_actions(schedule: Sequence[Sequence[Any]]) -> tuple[Action, ...]:
    """A schedule as it stands in the data: ``["fill_file"]``, ``["put", {size_bytes = 1}]``."""
    return tuple(Action(name, dict(*arguments)) for name, *arguments in schedule)


def as_evidence(entries: Iterable[Mapping[str, Any]]) -> tuple[RecordedEvidence, ...]:
    """The lines of recordings that stand in the data."""
    return tuple(RecordedEvidence(**entry) for entry in entries)


@frozen
class Scenario:
    """A schedule that shows a known issue."""

    name: str
    """Its identifier, and the name of its trace."""
    rows: tuple[str, ...] = field(converter=tuple)
    """Rows of the survey of known issues, as identifiers of the ledger."""
    sources: tuple[str, ...] = field(converter=tuple)
    """The reports: ``#6767``, ``ali#359``, ``RMQ-270``."""
    title: str
    certainty: str
    """One of CERTAINTIES."""
    structure_name: str
    """One of STRUCTURES; a later release is part of the name."""
    fault: str
    """The fault model that admits the schedule."""
    shows: str
    """The claim that the last step breaks, or the phenomenon that it reaches."""
    schedule: tuple[Action, ...]
    rules: tuple[str, ...] = field(default=(), converter=tuple)
    """Rules that the report is about, in its order, perhaps with others between them: a schedule
    without one of them would show another issue."""
    longer_because: str = ""
    """Why it has more steps than the shortest known schedule for its verdict."""
    repaired_by: Mapping[str, str] = field(factory=dict)
    """Releases, variants or structures under which the schedule no longer shows it, and how that is
    known: one of the values of Fate."""
    not_repaired_by: tuple[str, ...] = field(default=(), converter=tuple)
    """Those under which this schedule or another one still shows it."""
    note: str = ""
    """Other remarks, for example on repairs that the model does not have."""
    seen: tuple[RecordedEvidence, ...] = ()
    """Lines of recordings that show it."""
    sizes: Mapping[str, int] = field(factory=dict)
    """Sizes other than those of a search."""
    messages: int = 1
    """The number of followed puts."""

    @property
    def structure(self) -> ClaimedStructure:
        """The group, the consumer or the table."""
        return STRUCTURES[self.structure_name].follow_messages(self.messages)

    @property
    def parameters(self) -> Any:
        """Files of a few bytes, and the faults of its model."""
        fault_model = self.structure.world.get_fault_model(self.fault)
        return evolve(self.structure.world.make_search_parameters(fault_model), **self.sizes)

    @property
    def version(self) -> Version:
        """The release in which it is shown, also if it occurs in several."""
        return find_version(self.structure.variants)

    @property
    def is_claim(self) -> bool:
        """It breaks a claim, else it shows a phenomenon."""
        return self.shows in self.structure.world.claims

    @property
    def sentence(self) -> str:
        """The sentence of its claim or phenomenon."""
        return self.structure.world.properties[self.shows].sentence

    @property
    def is_shown_in(self) -> Predicate:
        """The claim does not hold in a state, or the phenomenon does."""
        holds = self.structure.world.properties[self.shows].predicate
        return (lambda state: negate(holds(state))) if self.is_claim else holds

    def walk(self) -> Iterator[JudgedStep]:
        """Every state of the schedule, judged by its claim or phenomenon. Raises ScheduleError."""
        states = follow(self.structure, self.parameters, self.schedule)
        for index, (action, state) in enumerate(states):
            shown = (self.shows,) if self.is_shown_in(state) else ()
            yield JudgedStep(index, action, state, shown)

    def is_shown_by(self, structure: ClaimedStructure, schedule: Sequence[Action]) -> bool:
        """A schedule is possible, has the rules, and shows it at its last step and not before."""
        if self.count_rules(schedule) < len(self.rules):
            return False
        try:
            states = [s for _, s in follow(structure, self.parameters, schedule)]
        except (ScheduleError, KeyError):
            return False
        shown = [bool(self.is_shown_in(state)) for state in states]
        return shown[-1] and not any(shown[:-1])

    def count_rules(self, schedule: Iterable[Action], begin: int = 0) -> int:
        """The number of its rules that have fired in order, after ``begin`` have before."""
        for action in schedule:
            if self.rules[begin : begin + 1] == (action.rule_name,):
                begin += 1
        return begin

    def find_needless_steps(self) -> list[int]:
        """The steps that can be left out, each by itself; empty for a minimal schedule."""
        return find_needless_steps(
            self.schedule, lambda trial: self.is_shown_by(self.structure, trial)
        )

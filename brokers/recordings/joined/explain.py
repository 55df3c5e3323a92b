"""A schedule of the joined system that agrees with all that was recorded of whole brokers.

The compiled rules find it; the rules executed as they stand can replay it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
from attrs import evolve, field, frozen

from brokers.recordings.hidden.ahead import AheadSearch
from brokers.recordings.hidden.nearest import find_nearest_rule
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.hidden.search import Budget
from brokers.recordings.hidden.timeline import Stuck, Timeline
from brokers.recordings.joined.choice import (
    Choice,
    choose,
    is_stored,
    make_parameters,
    make_structure,
)
from brokers.recordings.joined.guide import JoinedGuide
from brokers.recordings.joined.notes import Notes
from brokers.recordings.joined.observers import Observer
from brokers.recordings.joined.roles import (
    OutsideTheSystemError,
    Roles,
    change_parts,
    find_roles,
)
from brokers.recordings.joined.sizes import Sizes
from brokers.recordings.joined.visibility import Visibility
from brokers.recordings.reading import Event, Recording
from reference.language.machine import Action, compute_machine
from reference.worlds.system.state import System
from reference.worlds.system.structure import SystemStructure

CONFORMS, REJECTED, UNDECIDED, OUTSIDE = "conforms", "rejected", "undecided", "outside"

RECORDING_STEPS = 200_000
"""Steps that may be tried for a whole recording."""


@frozen
class Seen:
    """An event that is explained."""

    event: Event
    goals: tuple[Goal, ...]
    """What it shows."""
    steps: int
    """How many steps had been taken by then."""


@frozen
class JoinedVerdict:
    """What the search has to say of one recording."""

    file: str
    word: str
    """CONFORMS, REJECTED, UNDECIDED, or OUTSIDE: not what the joined system is about."""
    choice: Choice | None = None
    """What was looked at."""
    schedule: tuple[Action, ...] = ()
    """The steps from the first state on, up to the last event that is explained."""
    explained: int = 0
    """How many events agree with a state on the way."""
    values: int = 0
    """How many values were compared."""
    ignored: Mapping[str, int] = field(factory=dict)
    """How many events ask for nothing, by kind and reason."""
    seq: int | None = None
    """The first event that is not explained."""
    reason: str = ""
    """Which goal is not met there, or why the recording is outside."""
    rule: str = ""
    """The rule instance that would meet it most directly."""
    conditions: tuple[str, ...] = ()
    """Its conditions that fail."""
    initial: System | None = field(default=None, repr=False)
    """The state in which the schedule begins."""
    seen: tuple[Seen, ...] = field(default=(), repr=False)
    """The events that are explained."""
    turns: Mapping[int, bool] = field(factory=dict, repr=False)
    """After how many steps the brokers change their parts, and whether the new master is a
    SYNC_MASTER."""

    @property
    def circumstances(self) -> dict[str, int]:
        """How often what is a fault or a circumstance has struck in the explanation."""
        if self.initial is None:
            return {}
        last = replay(self.initial, self.schedule, self.turns)[-1]
        counts: dict[str, int] = attrs.asdict(last.faults, recurse=False)
        return {name: count for name, count in counts.items() if count}

    def as_json(self) -> dict[str, Any]:
        """The verdict for other programs."""
        return {
            "verdict": self.word,
            "choice": attrs.asdict(self.choice) if self.choice else None,
            "explained": self.explained,
            "values": self.values,
            "ignored": dict(self.ignored),
            "first_unexplained_seq": self.seq,
            "reason": self.reason,
            "schedule": [str(action) for action in self.schedule],
        }


def replay(
    initial: System, schedule: tuple[Action, ...], turns: Mapping[int, bool] | None = None
) -> list[System]:
    """The states of a schedule, the first one included; ``turns``: where parts change.

    Raises:
        ValueError: a step is refused.
    """
    states, machine = [initial], compute_machine(initial.structure)
    for action in schedule:
        before, count = states[-1], len(states) - 1
        if turns and count in turns:
            before = change_parts(before, is_sync=turns[count])
        outcome = machine.step(before, action)
        if outcome.is_refused:
            raise ValueError(f"step {len(states)}: {action}: {', '.join(outcome.failed)}")
        states.append(outcome.cluster)
    return states


def explain(
    recording: Recording, queue: str = "", message: int = -1, group: str = ""
) -> JoinedVerdict:
    """Explains a recording in the joined system; what to look at may be left to it."""
    try:
        roles = find_roles(recording)
        choice = choose(recording, roles, queue, message, group)
    except OutsideTheSystemError as problem:
        return JoinedVerdict(recording.file, OUTSIDE, reason=str(problem))
    structure = make_structure(recording, choice, roles)
    visibility = make_visibility(recording, roles, structure)
    sizes = Sizes(recording, roles)
    observer = Observer(structure, choice, roles, sizes, visibility.are_puts_seen)
    guide = JoinedGuide(structure, visibility, choice.message)
    initial = structure.make_initial(make_parameters(recording, choice))
    begin = Node(guide.machine.encode(initial), Notes())
    timeline = Timeline(guide, observer.ask, may_swap, begin)
    timeline.search, timeline.total = AheadSearch, Budget(RECORDING_STEPS)
    timeline.kept_max = len(recording.events)
    stuck = timeline.explain(recording.events)
    verdict = make_verdict(
        JoinedVerdict(recording.file, CONFORMS, choice, initial=initial), timeline, roles
    )
    return verdict if stuck is None else refuse(verdict, guide, stuck, timeline)


def may_swap(_earlier: Event, _later: Event) -> bool:
    """These recordings are told by one observer, in the order of the events."""
    return False


def make_visibility(recording: Recording, roles: Roles, structure: SystemStructure) -> Visibility:
    """What the recording tells of, and what may happen without an event."""
    machine = compute_machine(structure)
    return Visibility(
        are_puts_seen=any(is_stored(event, roles) for event in recording.events),
        are_commits_seen=any(
            event.kind == "update_consumer_offset" or event.data.get("commit_flag")
            for event in recording.events
        ),
        actors={name: each.rule.who for name, each in machine.instances.items()},
    )


def make_verdict(verdict: JoinedVerdict, timeline: Timeline, roles: Roles) -> JoinedVerdict:
    """The verdict with all that is explained."""
    ignored: Counter[str] = Counter(
        f"{entry.observation.kind}: {entry.asked.ignored}"
        for entry in timeline.trail
        if entry.asked.ignored
    )
    seen = tuple(
        Seen(entry.observation, stage(entry.after), entry.after.length)
        for entry in timeline.trail
        for stage in entry.asked.stages
    )
    return evolve(
        verdict,
        schedule=timeline.node.list_actions(),
        explained=len(seen),
        values=sum(len(each.goals) for each in seen),
        ignored=ignored,
        seen=seen,
        turns={
            entry.before.length: turn.is_sync
            for entry in timeline.trail
            if (turn := roles.find_turn(entry.observation)) is not None
        },
    )


def refuse(
    verdict: JoinedVerdict, guide: JoinedGuide, stuck: Stuck, timeline: Timeline
) -> JoinedVerdict:
    """The verdict with the event that is not explained, and what is nearest to explaining it."""
    rule, conditions = find_nearest_rule(guide.machine, stuck)
    is_decided = stuck.is_exhausted and not timeline.is_cut_short
    return evolve(
        verdict,
        word=REJECTED if is_decided else UNDECIDED,
        seq=stuck.observation.seq,
        reason="; ".join(stuck.texts),
        rule=rule,
        conditions=conditions,
    )

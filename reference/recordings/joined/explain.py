"""From event to event: a schedule of the joined system that agrees with all that was recorded.

The search takes no hidden step before an event asks for its effect. That may be too late: a slave
has copied before its master was killed, a flush came when the log ended there. Then what is not met
is asked for before earlier events, the last of them first, and all that lies between is explained
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import attrs
from attrs import define, evolve, field, frozen

from reference.language.machine import Action, compute_machine
from reference.recordings.joined.arguments import count_puts
from reference.recordings.joined.choice import (
    Choice,
    OutsideTheSystemError,
    choose,
    is_stored,
    make_parameters,
    make_structure,
)
from reference.recordings.joined.goals import Asked, Goal, Node
from reference.recordings.joined.observers import Observer
from reference.recordings.joined.relevance import find_nearest_rule
from reference.recordings.joined.search import Budget, Search, Searched
from reference.recordings.joined.sizes import Sizes
from reference.recordings.joined.visibility import Visibility
from reference.recordings.reading import Event, Recording
from reference.worlds.replication.state import CommitLog
from reference.worlds.system.state import THE_SLAVE, System
from reference.worlds.system.structure import SystemStructure

CONFORMS, REFUSED, UNDECIDED, OUTSIDE = "conforms", "refused", "undecided", "outside"

BUDGET_STEPS, WISH_STEPS, RECORDING_STEPS = 6_000, 400, 20_000
"""Steps of the reference that may be judged for one event, for what it needs of earlier ones, and
for a whole recording."""


GO_BACK_MAX = 60
"""Over how many states it is gone back at most."""

ROUNDS_MAX = 3
"""How often it is gone back for one event."""


@frozen
class Seen:
    """An event that is explained."""

    event: Event
    asked: Asked
    begin: int
    """How many steps had been taken before it."""
    steps: int
    """And how many by then."""


@frozen
class JoinedVerdict:
    """What the search has to say of one recording."""

    file: str
    word: str
    """CONFORMS, REFUSED, UNDECIDED, or OUTSIDE: not what the joined system is about."""
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
    steps_judged: int = 0
    """What the search has cost."""
    initial: System | None = field(default=None, repr=False)
    """The state in which the schedule begins."""
    seen: tuple[Seen, ...] = field(default=(), repr=False)
    """The events that are explained."""

    @property
    def circumstances(self) -> dict[str, int]:
        """How often what is a fault or a circumstance has struck in the explanation."""
        if self.initial is None:
            return {}
        last = replay(self.initial, self.schedule)[-1]
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


def replay(initial: System, schedule: tuple[Action, ...]) -> list[System]:
    """The states of a schedule, the first one included.

    Raises:
        ValueError: a step is refused.
    """
    states, machine = [initial], compute_machine(initial.structure)
    for action in schedule:
        outcome = machine.step(states[-1], action)
        if outcome.is_refused:
            raise ValueError(f"step {len(states)}: {action}: {', '.join(outcome.failed)}")
        states.append(outcome.cluster)
    return states


@define
class Trail:
    """What is explained so far."""

    nodes: list[Node]
    """Each state, with what led to it."""
    seen: list[Seen] = field(factory=list)
    ignored: Counter[str] = field(factory=Counter)

    def cut(self, count: int) -> Trail:
        """The same without the events from the one with this place on, and without their steps."""
        return Trail(self.nodes[: self.seen[count].begin + 1], self.seen[:count], self.ignored)


@frozen
class Stuck:
    """An event that no step explains."""

    event: Event
    asked: Asked
    searched: Searched

    @property
    def unmet(self) -> list[Goal]:
        """What is not met in the nearest state."""
        found = [g for g in self.asked.goals if not g.check(self.searched.nearest)]
        return list(self.searched.blocked) or found

    @property
    def texts(self) -> list[str]:
        """The same in words."""
        return [goal.text for goal in self.unmet]

    @property
    def is_hopeless(self) -> bool:
        """More messages are shown than were put, which going back does not change."""
        node = self.searched.nearest
        return any(g.limit is not None and g.limit(node) < g.wanted for g in self.unmet)


@frozen(eq=False)
class Explainer:
    """Explains the events of one recording."""

    observer: Observer
    visibility: Visibility
    choice: Choice
    budget: Budget
    """Of the whole recording."""
    cut_short: list[Event] = field(factory=list)
    """The events for which going back ended for want of budget."""

    def step(self, trail: Trail, event: Event) -> Stuck | None:
        """Explains one event more, by steps that are added to the trail."""
        asked = self.observer.ask(event, trail.nodes[-1])
        start = evolve(trail.nodes[-1], taken=(), spent=())
        start = evolve(start, owed=(*start.owed, *asked.owes))
        if not asked.goals:
            trail.nodes[-1] = evolve(trail.nodes[-1], owed=start.owed)
            trail.ignored[f"{event.kind}: {asked.ignored}"] += 1
            return None
        search = self.make_search(asked, BUDGET_STEPS)
        searched = search.run(start)
        if searched.found is None:
            return Stuck(event, asked, searched)
        begin = len(trail.nodes) - 1
        trail.nodes += list_nodes(search, start, searched.found.taken)
        if not searched.found.taken:
            trail.nodes[-1] = evolve(trail.nodes[-1], owed=start.owed)
        trail.seen.append(Seen(event, asked, begin, len(trail.nodes) - 1))
        return None

    def make_search(self, asked: Asked, steps: int) -> Search:
        """A search for what is asked."""
        sound = partial(is_sound, choice=self.choice)
        return Search(asked, self.visibility, sound, Budget(steps, self.budget))

    def go_back(self, trail: Trail, stuck: Stuck, rounds: int = 0) -> Trail | None:
        """The trail with an event explained by steps that came before earlier events."""
        if stuck.is_hopeless or rounds >= ROUNDS_MAX:
            return None
        for count in list_turning_points(trail):
            earlier = trail.cut(count)
            for wish in list_wishes(stuck.unmet):
                if self.budget.is_spent:
                    self.cut_short.append(stuck.event)
                    return None
                search = self.make_search(Asked(wish), WISH_STEPS)
                start = evolve(earlier.nodes[-1], taken=(), spent=())
                searched = search.run(start)
                if not searched.is_exhausted:
                    self.cut_short.append(stuck.event)
                if searched.found is None or not searched.found.taken:
                    continue
                nodes = [*earlier.nodes, *list_nodes(search, start, searched.found.taken)]
                again = Trail(nodes, list(earlier.seen), Counter())
                found = self.repeat(again, trail.seen[count:], stuck, rounds)
                if found is not None:
                    return evolve(found, ignored=trail.ignored)
        return None

    def repeat(self, trail: Trail, seen: list[Seen], stuck: Stuck, rounds: int) -> Trail | None:
        """The trail with these events explained anew, and the one behind them; None: it is not.

        Where at least fewer goals of the last one are unmet, it is gone back for them once more.
        """
        for each in seen:
            if self.step(trail, each.event) is not None:
                return None
        left = self.step(trail, stuck.event)
        if left is None:
            return trail
        is_nearer = not set(left.texts) & set(stuck.texts) or len(left.texts) < len(stuck.texts)
        return self.go_back(trail, left, rounds + 1) if is_nearer else None


def list_wishes(unmet: list[Goal]) -> Iterator[tuple[Goal, ...]]:
    """What to ask for earlier: all of it, then each one by itself."""
    yield tuple(unmet)
    if len(unmet) > 1:
        for goal in unmet:
            yield (goal,)


def list_turning_points(trail: Trail) -> list[int]:
    """The events before which something else may be done, the last first: one for each state."""
    begins = [seen.begin for seen in trail.seen]
    first = {begin: count for count, begin in reversed(list(enumerate(begins)))}
    return sorted(first.values(), reverse=True)[:GO_BACK_MAX]


def explain(
    recording: Recording, queue: str = "", message: int = -1, group: str = ""
) -> JoinedVerdict:
    """Explains a recording in the joined system; what to look at may be left to it."""
    try:
        choice = choose(recording, queue, message, group)
    except OutsideTheSystemError as problem:
        return JoinedVerdict(recording.file, OUTSIDE, reason=str(problem))
    structure = make_structure(recording, choice)
    initial = structure.make_initial(make_parameters(recording, choice))
    observer = Observer(structure, choice, Sizes(recording, choice))
    visibility = make_visibility(recording, choice, structure)
    budget = Budget(RECORDING_STEPS)
    explainer = Explainer(observer, visibility, choice, budget)
    trail = Trail([Node(initial, are_puts_seen=visibility.are_puts_seen)])
    for event in recording.events:
        stuck = explainer.step(trail, event)
        found = explainer.go_back(trail, stuck) if stuck else trail
        if stuck and found is None:
            is_decided = stuck.searched.is_exhausted and stuck.event not in explainer.cut_short
            refused = _refuse(recording, choice, trail, stuck, budget)
            return evolve(refused, word=REFUSED if is_decided else UNDECIDED)
        trail = found or trail
    return _tell(recording, choice, trail, budget)


def list_nodes(search: Search, start: Node, actions: tuple[Action, ...]) -> list[Node]:
    """The nodes after each of these steps, which were found possible."""
    nodes: list[Node] = []
    for action in actions:
        after = search.take(nodes[-1] if nodes else start, action)
        if after is None:
            raise AssertionError(f"a step that was taken is refused: {action}")
        nodes.append(after)
    return nodes


def make_visibility(recording: Recording, choice: Choice, structure: SystemStructure) -> Visibility:
    """What the recording tells of, and what may happen without an event."""
    machine = compute_machine(structure)
    return Visibility(
        are_puts_seen=any(is_stored(event, choice.master) for event in recording.events),
        are_commits_seen=any(
            event.kind == "update_consumer_offset" or event.data.get("commit_flag")
            for event in recording.events
        ),
        actors={name: each.rule.who for name, each in machine.instances.items()},
    )


def is_sound(node: Node, choice: Choice) -> bool:
    """Each queue shows as many messages as were put, and the followed one at its place."""
    cluster, reading = node.state.cluster, node.state.reading
    if reading.message.offset not in (-1, choice.message):
        return False
    is_master_counted = _is_counted(node, cluster.master.log, reading.master.queue_max)
    slave = cluster.slaves[THE_SLAVE].log
    return is_master_counted and _is_counted(node, slave, reading.slave.queue_max)


def _is_counted(node: Node, log: CommitLog, queue_max: int) -> bool:
    low, high = count_puts(node.puts, log.dispatched_offset)
    below, _ = count_puts(node.puts, log.start_offset)
    is_empty = queue_max == 0 and low <= below
    return is_empty or low <= queue_max <= high


def _count(trail: Trail) -> int:
    return sum(len(seen.asked.goals) for seen in trail.seen)


def _tell(recording: Recording, choice: Choice, trail: Trail, budget: Budget) -> JoinedVerdict:
    return JoinedVerdict(
        recording.file,
        CONFORMS,
        choice,
        schedule=tuple(node.taken[-1] for node in trail.nodes[1:]),
        explained=len(trail.seen),
        values=_count(trail),
        ignored=dict(trail.ignored),
        steps_judged=RECORDING_STEPS - budget.steps_left,
        initial=trail.nodes[0].state,
        seen=tuple(trail.seen),
    )


def _refuse(
    recording: Recording, choice: Choice, trail: Trail, stuck: Stuck, budget: Budget
) -> JoinedVerdict:
    node, unmet = stuck.searched.nearest, stuck.unmet
    leaves = sorted(frozenset().union(*(goal.leaves for goal in unmet)))
    wanted = [goal.action.instance for goal in unmet if goal.action]
    rule, conditions = find_nearest_rule(node.state, leaves, wanted)
    return evolve(
        _tell(recording, choice, trail, budget),
        seq=stuck.event.seq,
        reason="; ".join(goal.text for goal in unmet),
        rule=rule,
        conditions=conditions,
    )

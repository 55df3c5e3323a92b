"""The steps by which the search explains one event of a recording, or where it has stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
from attrs import field, frozen

from brokers.recordings.ahead.order import Observation
from brokers.recordings.hidden.nearest import Missing, list_nearest
from brokers.recordings.hidden.node import Node, Requirements
from brokers.recordings.hidden.timeline import ExplainedObservation, Timeline
from brokers.recordings.log.explain import LogVerdict
from brokers.recordings.log.guide import LogGuide
from reference.worlds.replication.state import Cluster

AROUND = 2
"""How many observations are told before the event, and how many behind it."""

NEAREST_MAX = 3
"""How many rules are named that would help."""

COUNTERS = ("faults.",)
"""How the leaves begin that only count what has happened."""

FOLLOWED = "messages."
"""How the leaves of followed messages begin; which ones are followed is a choice, and no change."""


@frozen
class ExplainedStep:
    """One step of a schedule."""

    instance: str
    """The rule instance; empty for a change that is no step of a rule."""
    arguments: Mapping[str, int]
    who: str
    """The node, or who acts from outside."""
    says: str
    """What happens, in a few words."""
    is_announced: bool
    """The event itself lets it happen; else nobody has seen it."""
    changes: tuple[tuple[str, Any, Any], ...]
    """The leaves that it changes: path, value before, value after."""
    since_ms: float | None
    """Since when it has been possible, by the explanation; None: since before the first event."""
    until_ms: float
    """By when it has happened: when its effect was seen."""


@frozen
class ExplainedEvent:
    """One observation, with the steps that are put before it since the last one."""

    seq: int
    t_ms: float
    kind: str
    data: Mapping[str, Any]
    """What the event shows."""
    steps: tuple[ExplainedStep, ...] = ()


@frozen
class SearchStop:
    """Where the search has stopped."""

    word: str
    """Whether the event is refused, or the budget was spent."""
    unmet: tuple[str, ...]
    """What is not met, in words."""
    rules: tuple[Missing, ...]
    """The rule instances that would help most directly, with their conditions that fail."""
    cluster: Cluster = field(repr=False)
    """The state that came nearest."""


@frozen
class Excerpt:
    """What the search puts at an event, with what is near it."""

    seq: int
    """The event."""
    before: tuple[ExplainedEvent, ...]
    here: tuple[ExplainedEvent, ...]
    """The observations of the event: of a put its call and its end."""
    behind: tuple[ExplainedEvent, ...]
    stop: SearchStop | None = None
    """Set where the search has stopped at this event."""

    def as_json(self) -> dict[str, Any]:
        """The excerpt for other programs, without the state."""
        found: dict[str, Any] = attrs.asdict(self, filter=lambda a, _: a.name != "cluster")
        return found


def find_stop(verdicts: Sequence[LogVerdict]) -> int | None:
    """The first event at which the search of a recording has stopped; None for none."""
    return min((v.seq for v in verdicts if v.seq is not None), default=None)


def tell_event(verdicts: Sequence[LogVerdict], seq: int) -> Excerpt | None:
    """What the search puts at an event; None for one that no search looks at, or has come to."""
    for verdict in verdicts:
        if verdict.tell is not None and (found := verdict.tell(seq)) is not None:
            excerpt: Excerpt = found
            return excerpt
        timeline = verdict.timeline
        if timeline is None:
            continue
        entries = [n for n, entry in enumerate(timeline.trail) if get_seq(entry) == seq]
        if entries or verdict.seq == seq:
            return Teller(timeline, verdict).tell(seq, entries)
    return None


def get_seq(entry: ExplainedObservation) -> int:
    """The number of the event that an entry explains."""
    seq: int = entry.observation.event.seq
    return seq


@frozen
class Teller:
    """Tells of the observations of one group."""

    timeline: Timeline
    verdict: LogVerdict

    def tell(self, seq: int, places: Sequence[int]) -> Excerpt:
        """The event, whose observations stand at these places of the trail."""
        count = len(self.timeline.trail)
        first, last = (places[0], places[-1] + 1) if places else (count, count)
        stuck = self.verdict.seq == seq
        here = [*map(self.tell_place, places)]
        return Excerpt(
            seq,
            tuple(map(self.tell_place, range(max(0, first - AROUND), first))),
            tuple([*here, *self.tell_stuck()] if stuck else here),
            tuple(map(self.tell_place, range(last, min(last + AROUND, count)))),
            self.make_stop() if stuck else None,
        )

    def tell_place(self, place: int) -> ExplainedEvent:
        """One entry of the trail."""
        entry = self.timeline.trail[place]
        begin = self.timeline.trail[place - 1].after if place else self.timeline.begin
        steps = self.list_steps(begin, entry.after, entry.observation, entry.asked, place)
        return make_told(entry.observation, tuple(steps))

    def tell_stuck(self) -> Iterator[ExplainedEvent]:
        """The observation that is not explained, with what came nearest to that."""
        stuck = self.verdict.stuck
        if stuck is not None:
            begin, place = self.timeline.node, len(self.timeline.trail)
            steps = self.list_steps(begin, stuck.nearest, stuck.observation, stuck.asked, place)
            yield make_told(stuck.observation, tuple(steps))

    def make_stop(self) -> SearchStop | None:
        """Why the search has stopped."""
        stuck, guide = self.verdict.stuck, self.timeline.guide
        if stuck is None:
            return None
        permits = stuck.asked.permits
        may = partial(guide.may, stuck.nearest)
        rules = list_nearest(guide.machine, stuck, lambda name: name in permits or may(name))
        cluster = guide.machine.decode(stuck.nearest.state)
        return SearchStop(
            self.verdict.word, tuple(stuck.texts), tuple(rules[:NEAREST_MAX]), cluster
        )

    def list_steps(
        self, begin: Node, end: Node, observation: Observation, asked: Requirements, place: int
    ) -> list[ExplainedStep]:
        """The changes between two nodes, the first one first."""
        found = []
        for node in end.list_back():
            if node is begin or node.parent is None:
                break
            step = self.make_step(node, node.parent, observation, asked, place)
            if step is not None:
                found.append(step)
        return found[::-1]

    def make_step(
        self, node: Node, parent: Node, observation: Observation, asked: Requirements, place: int
    ) -> ExplainedStep | None:
        """One change; None where the state stays as it is."""
        machine, action = self.timeline.guide.machine, node.action
        changes = tuple(
            (path, parent.state[i], node.state[i])
            for path, i in machine.places.items()
            if parent.state[i] != node.state[i] and not path.startswith(COUNTERS)
        )
        until_ms: float = observation.interval_ms[1]
        if action is None:
            changes = tuple(each for each in changes if not each[0].startswith(FOLLOWED))
            return make_change(changes, until_ms) if changes else None
        cluster, rule = machine.decode(node.state), machine.structure.rules[action.rule_name]
        number = action.index or 0
        link = cluster.links[number] if number < len(cluster.links) else None
        return ExplainedStep(
            action.instance,
            dict(action.arguments),
            self.name_actor(rule.who, action.index),
            rule.tell(action.arguments, cluster, number=number + 1, link=link),
            action.instance in asked.permits,
            changes,
            self.find_since_ms(action.instance, place),
            until_ms,
        )

    def name_actor(self, who: str, index: int | None) -> str:
        """Who acts, with the name that the recording gives a broker."""
        guide = self.timeline.guide
        if not isinstance(guide, LogGuide):
            return who
        if who == "slave" and index is not None and index < len(guide.plan.slaves):
            return guide.plan.slaves[index]
        return guide.plan.master if who == "master" else who

    def find_since_ms(self, name: str, place: int) -> float | None:
        """Since which observation an instance has been possible, up to a place of the trail."""
        instance = self.timeline.guide.machine.instances[name]
        since_ms: float | None = None
        for entry in reversed(self.timeline.trail[:place]):
            if instance.find_ranges(entry.after.state) is None:
                return float(entry.observation.t_ms) if since_ms is None else since_ms
            since_ms = float(entry.observation.t_ms)
        return None


def make_change(changes: tuple[tuple[str, Any, Any], ...], at_ms: float) -> ExplainedStep:
    """What an event changes that no rule does, for example a setting."""
    says = "as the event says"
    return ExplainedStep(
        "", {}, "recorded", says, is_announced=True, changes=changes, since_ms=at_ms, until_ms=at_ms
    )


def make_told(observation: Observation, steps: tuple[ExplainedStep, ...]) -> ExplainedEvent:
    """An observation with its steps."""
    event = observation.event
    return ExplainedEvent(event.seq, observation.t_ms, observation.kind, dict(event.data), steps)

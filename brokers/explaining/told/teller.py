"""The steps that are put at one event of a recording, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import define, field

from brokers.explaining.explanation import GroupExplanation
from brokers.explaining.group_state import GroupState
from brokers.explaining.refusal import Refusal
from brokers.explaining.seen.moments import NotedMoment
from brokers.explaining.told.excerpts import (
    AROUND,
    COUNTERS,
    Excerpt,
    ExplainedEvent,
    ExplainedStep,
    ExplanationStop,
)
from brokers.explaining.told.trail import Told, Trail
from reference.language.compiled import State
from reference.language.machine import Action


def tell_forwards(begin: Callable[[], GroupExplanation], seq: int) -> Excerpt | None:
    """What is put at an event of a group, which is explained once more for that; None: nothing."""
    explanation = begin()
    explanation.trail = trail = Trail()
    stuck = explanation.run()
    hidden = frozenset(step.name for step in explanation.observer.advance.steps)
    return Teller(explanation.observer.scene, trail.moments, hidden).tell(seq, stuck)


@define(eq=False)
class Teller:
    """Tells of the moments of one group."""

    group: GroupState
    trail: Sequence[Told] = field(repr=False)
    hidden: frozenset[str] = field(repr=False)
    """The instances that nobody notes."""

    def tell(self, seq: int, stuck: tuple[NotedMoment, Refusal] | None) -> Excerpt | None:
        """The event, with what is near it."""
        places = [n for n, told in enumerate(self.trail) if told.moment.event.seq == seq]
        if not places:
            return None
        first, last, count = places[0], places[-1] + 1, len(self.trail)
        is_stuck = stuck is not None and stuck[0].event.seq == seq
        return Excerpt(
            seq,
            tuple(map(self.tell_place, range(max(0, first - AROUND), first))),
            tuple(map(self.tell_place, places)),
            tuple(map(self.tell_place, range(last, min(last + AROUND, count)))),
            self.make_stop(stuck[1]) if is_stuck and stuck is not None else None,
        )

    def make_stop(self, refusal: Refusal) -> ExplanationStop:
        """Why an event is refused."""
        return ExplanationStop(str(refusal), refusal.nearest, self.group.cluster)

    def tell_place(self, place: int) -> ExplainedEvent:
        """One moment of the trail."""
        told = self.trail[place]
        event = told.moment.event
        kind = f"{event.kind}_begin" if told.moment.is_call else event.kind
        steps = tuple(self.list_steps(told, place))
        return ExplainedEvent(event.seq, told.moment.t_ms, kind, dict(event.data), steps)

    def list_steps(self, told: Told, place: int) -> Iterator[ExplainedStep]:
        """The steps of a moment."""
        for action, before, after in told.steps:
            yield self.make_step(told, place, action, before, after)

    def make_step(
        self, told: Told, place: int, action: Action, before: State, after: State
    ) -> ExplainedStep:
        """One step, in words."""
        machine, plan = self.group.machine, self.group.plan
        changes = tuple(
            (path, before[i], after[i])
            for path, i in machine.places.items()
            if before[i] != after[i] and not path.startswith(COUNTERS)
        )
        cluster, rule = machine.decode(after), machine.structure.rules[action.rule_name]
        number = action.index or 0
        link = cluster.links[number] if number < len(cluster.links) else None
        is_slave = rule.who == "slave" and action.index is not None
        who = plan.slaves[number] if is_slave else rule.who
        is_hidden = action.instance in self.hidden and action.instance not in told.granted
        return ExplainedStep(
            action.instance,
            dict(action.arguments),
            plan.master if who == "master" else who,
            rule.tell(action.arguments, cluster, number=number + 1, link=link),
            not is_hidden,
            changes,
            self.find_since_ms(action.instance, place),
            told.moment.t_ms,
        )

    def find_since_ms(self, name: str, place: int) -> float | None:
        """Since which moment an instance has been possible; None: since before the first."""
        instance = self.group.machine.instances[name]
        since_ms: float | None = None
        for number in range(place, 0, -1):
            moment = self.trail[number - 1].moment
            if instance.find_ranges(self.trail[number].before) is None:
                return moment.t_ms if since_ms is None else since_ms
            since_ms = moment.t_ms
        return None

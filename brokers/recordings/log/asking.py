"""What observers of replication share: goals on leaves, and edits that are no step of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define, evolve, field

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.controller.refused import find_refused
from brokers.recordings.hidden.goals import holds
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.log.guide import LogGuide
from brokers.recordings.log.limits.answers import Answers
from brokers.recordings.log.limits.connections import UNSET
from brokers.recordings.log.limits.counts import Counts
from brokers.recordings.log.limits.landmarks import Landmarks
from brokers.recordings.log.limits.reports import Reports
from brokers.recordings.log.limits.sending import Sending
from brokers.recordings.log.notes import Notes
from brokers.recordings.log.seen import Check, ShownFacts, begin_seen, judge, make_view
from brokers.recordings.reading import Event
from brokers.recordings.view import View
from reference.language.leaves import flatten
from reference.worlds.replication.state import Message

ENDS = (
    "flushed_offset",
    "dispatched_offset",
    "push2_slave_max_offset",
    "reported_offset",
    "slave_ack_offset",
    "slave_request_offset",
)
"""How the leaves end that are only copied from the end of a log; a transfer goes on by bytes."""

UNSET_AT_FIRST = ("slave_ack_offset", "slave_request_offset")
"""How those of them end that are UNSET before the first report."""


@define(eq=False)
class Asking:
    """Makes goals on the states of one recording."""

    plan: Plan
    guide: LogGuide
    landmarks: Landmarks = field(init=False)
    counts: Counts = field(init=False)
    reports: Reports = field(init=False)
    sending: Sending = field(init=False)
    answers: Answers = field(init=False)
    blank: tuple[Any, ...] = field(init=False)
    """The leaves of a message that is not put yet."""

    def __attrs_post_init__(self) -> None:
        self.landmarks = Landmarks(self.plan)
        self.counts = Counts(self.plan)
        self.reports = Reports(self.plan)
        self.sending = Sending(self.plan, self.reports)
        self.answers = Answers(self.plan, self.counts, self.reports)
        self.blank = tuple(flatten(Message()).values())

    def begin(self) -> Node:
        """The node before the first event: empty logs, and no connection."""
        cluster = self.plan.structure.make_initial(self.plan.parameters)
        notes = Notes(self.guide.wires, seen=begin_seen(self.plan))
        return Node(self.guide.machine.encode(cluster), notes)

    def view(self, node: Node, observation: Observation) -> View:
        """All that a check may look at."""
        cluster = self.guide.machine.decode(node.state)
        return make_view(self.plan, cluster, node, observation)

    def judge(
        self,
        node: Node,
        observation: Observation,
        *checks: Check,
        lasting: Iterable[Check] = (),
    ) -> tuple[Goal, ...]:
        """Checks of an event, each in this state; what the ``lasting`` ones say no step changes."""
        view = self.view(node, observation)
        others = (judge(view, check) for check in lasting)
        kept = (evolve(goal, is_possible=goal.check(node)) for goal in others)
        return (*(judge(view, check) for check in checks), *kept)

    def later(
        self, observation: Observation, *checks: Check, lasting: Iterable[Check] = ()
    ) -> Callable[[Node], tuple[Goal, ...]]:
        """A stage of these checks, in the state that meets the stages before."""
        return lambda node: self.judge(node, observation, *checks, lasting=lasting)

    def has_value(self, text: str, path: str, wanted: int, *, is_possible: bool = True) -> Goal:
        """A leaf has this value; ``text`` names it.

        ``is_possible``: in some state of the recording, as far as its numbers tell.
        """
        place, leaves, wanted = self.guide.places[path], frozenset((path,)), int(wanted)
        sentence = f"{text} is {wanted}"
        may_be = is_possible and self._may_have(path, wanted)
        return Goal(
            sentence,
            lambda n: may_be and n.state[place] == wanted,
            leaves,
            path,
            wanted,
            place,
            is_possible=may_be,
        )

    def is_counted(
        self, node: Node, text: str, event: Event, wanted: int, *, is_possible: bool = True
    ) -> Goal:
        """The master counts so many connections.

        The model has none of a slave that finds no consistent point, and the master may count it.
        """
        is_opened = self.counts.may_count(wanted, node.notes.process, event)
        is_possible &= is_opened
        path = "master.connection_count"
        known = self.guide.get(node, path)
        refused = min(max(0, wanted - known), len(find_refused(self.guide, node)))
        return self.has_value(text, path, wanted - refused, is_possible=is_possible)

    def _may_have(self, path: str, wanted: int) -> bool:
        """A leaf may come to have this value in some state of this recording."""
        is_end = path.endswith(ENDS) or ".ends." in path
        is_unset = wanted == UNSET and path.endswith(UNSET_AT_FIRST)
        marks, now_ms = self.landmarks, self.guide.now_ms
        is_asked = path.startswith("links.") and self.plan.scripted
        if is_asked and marks.may_be_reported(wanted, now_ms):
            return True
        if not is_end or is_unset:
            return True
        if path.endswith("push2_slave_max_offset"):
            return marks.may_be_reported(wanted, now_ms)
        if path.startswith("master."):
            return marks.may_be_written(wanted, now_ms)
        return marks.may_be_of_master(wanted, now_ms)

    def holds(
        self,
        text: str,
        make: Callable[..., Any],
        *given: int,
        numbers: tuple[int, ...] = (),
        is_possible: bool = True,
    ) -> Goal:
        """A predicate of the state holds, that ``make`` writes for some numbers.

        ``is_possible``: in some state of the recording, as far as its numbers tell.
        """
        goal = holds(self.plan.structure, text, make, *given, numbers=numbers)
        return goal if is_possible else evolve(goal, check=is_never, is_possible=False)

    def change(self, node: Node, leaves: Mapping[str, int]) -> Node:
        """A node with other values of some leaves: what somebody does whom no rule binds."""
        state = list(node.state)
        for path, value in leaves.items():
            state[self.guide.places[path]] = value
        return node.edit(state=tuple(state))

    def drop_message(self, node: Node, number: int) -> Node:
        """The put's line is explained: its place among the followed messages is free again.

        To follow a message is a choice of the specification, not a step of a broker.
        """
        notes: Notes = node.notes
        slot, state, size = notes.slots.index(number), list(node.state), len(self.blank)
        first = self.guide.places["messages.0.phase"]
        end = first + self.plan.structure.messages * size
        here = first + slot * size
        state[first:end] = [*state[first:here], *state[here + size : end], *self.blank]
        slots = (*notes.slots[:slot], *notes.slots[slot + 1 :])
        waits = tuple(each for each in notes.waits if each != number)
        notes = evolve(notes, slots=slots, waits=waits)
        return node.edit(state=tuple(state), notes=notes)


def is_never(_: Node) -> bool:
    """In no state."""
    return False


def is_impossible(text: str) -> Goal:
    """Something that no step brings about, whenever it is taken."""
    return Goal(text, lambda _: False, is_possible=False)


def agrees(text: str, *, is_so: bool) -> Goal:
    """Something that no step changes."""
    return Goal(text, lambda _: is_so)


def is_fact(text: str, *, is_so: bool) -> Goal:
    """Something that no step changes, wherever the event stands: no order of steps helps either."""
    return agrees(text, is_so=True) if is_so else is_impossible(text)


def ask_for(*goals: Goal, **others: Any) -> Requirements:
    """These goals at once."""
    return Requirements((lambda _: goals,), **others)


def see(change: Callable[[ShownFacts], ShownFacts]) -> Callable[[Node], Node]:
    """An edit of what was shown alone."""
    return note(lambda notes: notes.see(change))


def note(change: Callable[[Notes], Notes]) -> Callable[[Node], Node]:
    """An edit of the notes alone."""
    return lambda node: node.edit(notes=change(node.notes))

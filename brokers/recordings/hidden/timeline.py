"""From observation to observation: a schedule that agrees with all that was recorded.

No hidden step is taken before an observation asks for its effect. That may be too late: a slave has
copied before its master was killed, a report was read before the link was cut. Then what is unmet
is asked for before earlier observations, the latest first, and all that lies between is explained
again. Observations of different sources within the recorder's tolerance may change places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.hidden.overdue import Clock, Overdue, Since
from brokers.recordings.hidden.search import Budget, Guide, HiddenStepSearch, begin_event
from reference.language.dependencies import compute_dependencies
from reference.language.machine import Action

EVENT_STEPS, WISH_STEPS, FAR_WISH_STEPS = 4_000, 1_000, 300
"""Steps that may be tried for one observation, and for what it needs of earlier ones: where a
wanted number is near, and elsewhere."""

REPAIR_STEPS = 60_000
"""Steps that may be tried in all to explain one observation by other means than at its place."""

FIRST_REPAIR_STEPS = 6_000
"""The same before anybody looks for another place near by."""

GO_BACK_MAX = 80
"""Over how many states the search goes back at most."""

TRAIL_MAX = 1_000
"""How many observations may be explained anew at least, when a later one asks for that."""

LATE_MAX = 4
"""How many observations may be explained later than others on account of one another."""

ROUNDS_MAX = 3
"""How often it goes back for one observation, each time with fewer goals unmet."""

Wish = tuple[tuple[Goal, ...], ...]
"""Goals to be met by hidden steps, one set after another."""

Ask = Callable[[Any, Node], Requirements]
"""What an observation asks in a state."""

Progress: TypeAlias = Callable[[int, int], None] | None
"""Is told how many observations are explained, and of how many."""

PROGRESS_STEP = 100
"""After so many observations the progress is told."""


@frozen(eq=False)
class ExplainedObservation:
    """An observation that is explained."""

    observation: Any
    before: Node
    after: Node
    asked: Requirements
    since: Since = field(factory=dict)
    """Since when the steps that have a deadline have been possible, after it."""
    goals: int = 0
    """How many goals were met for it."""
    granted: tuple[Action, ...] = ()
    """Steps that were taken before it for the sake of a later observation."""


@frozen(eq=False)
class Stuck:
    """An observation that no step explains."""

    observation: Any
    asked: Requirements
    nearest: Node
    unmet: tuple[Goal, ...]
    is_exhausted: bool
    begin: Node | None = None
    """Where the search for it began."""

    @property
    def is_possible(self) -> bool:
        """Some state of the recording may meet it, as far as its numbers tell."""
        return all(goal.is_possible for goal in self.unmet)

    @property
    def texts(self) -> list[str]:
        """What is unmet, in words."""
        return [goal.text for goal in self.unmet]


@define
class Settled:
    """What was explained so long ago that nothing can change it any more."""

    explained: int = 0
    """How many observations were explained."""
    goals: int = 0
    """How many goals were met for them."""
    ignored: Counter[str] = field(factory=Counter)
    """How many ask for nothing, by kind and reason."""
    schedule: list[Action] = field(factory=list)
    """The steps."""

    def copy(self) -> Settled:
        """The same, to be added to by itself."""
        return evolve(self, ignored=Counter(self.ignored), schedule=[*self.schedule])

    def add(self, entries: Sequence[ExplainedObservation]) -> None:
        """These entries follow."""
        for entry in entries:
            self.goals += entry.goals
            if entry.asked.ignored:
                self.ignored[f"{entry.observation.kind}: {entry.asked.ignored}"] += 1
            else:
                self.explained += 1
        if entries:
            self.schedule += entries[-1].after.list_actions()


@define(eq=False)
class Timeline:
    """Explains one recording after another observation."""

    guide: Guide
    ask: Ask
    may_swap: Callable[[Any, Any], bool]
    """Two observations may have happened in the other order, by their sources and stamps."""
    begin: Node
    may_be_late: Callable[[Any, Any], bool] = lambda *_: False
    """They may be swapped, and their clocks alone may have put the first before the second."""
    clock: Clock | None = None
    """What is overdue before an observation; None where nothing is."""
    trail: list[ExplainedObservation] = field(factory=list)
    """The latest entries: all that may still change."""
    settled: Settled = field(factory=Settled)
    """Those before them."""
    kept_max: int = TRAIL_MAX
    """The trail is twice as long at most."""
    total: Budget | None = None
    """Of the whole recording; None: only what each observation may spend is bounded."""
    budget: Budget = field(factory=lambda: Budget(REPAIR_STEPS))
    """What may still be tried for the present observation."""
    is_spent: bool = False
    """Going back for it has spent its whole budget."""
    nearest: tuple[list[ExplainedObservation], Stuck] | None = None
    """Of the trails that were tried for the present observation: one behind which less is unmet."""
    has_come_nearer: bool = False
    """For the present observation a step has brought some of what is unmet, and not all."""
    is_cut_short: bool = False
    """Going back for the observation that is stuck has ended for want of steps."""

    @property
    def node(self) -> Node:
        """The node after the last observation."""
        return self.trail[-1].after if self.trail else self.begin

    @property
    def since(self) -> Since:
        """Since when steps have been possible, after the last observation."""
        return self.trail[-1].since if self.trail else {}

    def explain(self, observations: Sequence[Any], progress: Progress = None) -> Stuck | None:
        """Explains all observations in order; the first one that cannot be explained, or None."""
        waiting = list(observations)[::-1]
        while waiting:
            done = len(observations) - len(waiting)
            if progress and done and done % PROGRESS_STEP == 0:
                progress(done, len(observations))
            observation, self.budget = waiting.pop(), Budget(REPAIR_STEPS, self.total)
            stuck = self.advance(observation)
            if stuck is not None and not self.repair(stuck, waiting):
                return self.stop(stuck)
        return None

    def stop(self, stuck: Stuck) -> Stuck:
        """Nothing helps: what came nearest to that, and whether everything was tried."""
        is_spent = self.is_spent or self.budget.is_spent
        is_exhausted = stuck.is_exhausted and not is_spent
        if self.nearest is not None:
            self.trail, stuck = self.nearest
        return evolve(stuck, is_exhausted=is_exhausted)

    def advance(self, observation: Any) -> Stuck | None:
        """One observation more, at its place."""
        entry = self.try_next(self.node, self.since, observation)
        if isinstance(entry, Stuck):
            return entry
        self.trail.append(entry)
        if len(self.trail) >= 2 * self.kept_max:
            self.settle()
        return None

    def settle(self) -> None:
        """Nothing changes the older half of the trail any more."""
        old, self.trail = self.trail[: self.kept_max], self.trail[self.kept_max :]
        self.settled.add(old)
        self.begin = old[-1].after
        self.begin.cut_off()

    def summarize(self) -> Settled:
        """All that is explained so far."""
        whole = self.settled.copy()
        whole.add(self.trail)
        return whole

    def try_next(self, node: Node, since: Since, observation: Any) -> ExplainedObservation | Stuck:
        """The entry of an observation in a state, after what is overdue by then."""
        before = node
        self.guide.look_at(observation)
        if self.clock is not None:
            forced = self.clock.force(node, since, observation)
            if isinstance(forced, Overdue):
                return Stuck(observation, Requirements(), node, (forced.goal,), is_exhausted=True)
            node, since = forced
        found = self.meet(begin_event(node), observation)
        if isinstance(found, Stuck):
            return found
        after, asked, goals = found
        if self.clock is not None:
            since = self.clock.observe(before, after, since, observation)
        return ExplainedObservation(observation, before, after, asked, since, goals)

    def meet(self, start: Node, observation: Any) -> tuple[Node, Requirements, int] | Stuck:
        """The node in which all that an observation asks is met, and how many goals that were."""
        asked = self.ask(observation, start)
        met = self.meet_stages(start, observation, asked)
        if not isinstance(met, Stuck) or asked.otherwise is None:
            return met
        other = self.meet_stages(start, observation, asked.otherwise())
        return other if not isinstance(other, Stuck) or not met.is_possible else met

    def meet_stages(
        self, start: Node, observation: Any, asked: Requirements
    ) -> tuple[Node, Requirements, int] | Stuck:
        """The same for one way of asking, stage by stage."""
        found = asked.before(start) if asked.before is not None else start
        search = HiddenStepSearch(self.guide, asked, Budget(EVENT_STEPS, self.budget))
        count = 0
        for stage in asked.stages:
            goals = stage(found)
            count += len(goals)
            searched = search.run(found, goals)
            if searched.found is None:
                near = searched.nearest
                unmet = searched.out_of_reach or tuple(g for g in goals if not g.check(near))
                return Stuck(observation, asked, near, unmet, searched.is_exhausted, start)
            found = searched.found
        return (asked.after(found) if asked.after is not None else found), asked, count

    def repair(self, stuck: Stuck, waiting: list[Any]) -> bool:
        """Explains a stuck observation by earlier steps, or at another place near by."""
        self.is_cut_short, self.nearest = False, None
        if not stuck.is_possible:
            return False
        if self.pass_near(stuck.observation, waiting):
            return True
        # First without going back for what one step then lacks, unless no one step can bring all.
        numbers = {goal.wanted for goal in stuck.unmet if goal.path}
        self.has_come_nearer = False
        for rounds in (ROUNDS_MAX, 0) if len(numbers) < 2 else (0, ROUNDS_MAX):
            self.budget = Budget(FIRST_REPAIR_STEPS, self.total)
            trail = self.go_back(self.trail, stuck, rounds)
            is_cut = self.budget.is_spent
            if trail is not None or not self.has_come_nearer:
                break
        self.budget = Budget(REPAIR_STEPS, self.total)
        trail = trail or self.move_earlier(self.trail, stuck.observation, self.may_swap)
        self.budget = Budget(REPAIR_STEPS, self.total)
        trail = trail or self.move_later(stuck.observation, waiting)
        trail = trail or self.go_back(self.trail, stuck, ROUNDS_MAX, is_pulled=True)
        if trail is None and is_cut:
            self.budget = Budget(REPAIR_STEPS, self.total)
            trail = self.go_back(self.trail, stuck, 0)
            self.is_spent = self.budget.is_spent
        self.is_cut_short |= self.is_spent
        if trail is not None:
            self.trail = trail
        return trail is not None

    def go_back(
        self,
        trail: list[ExplainedObservation],
        stuck: Stuck,
        rounds: int,
        *,
        is_pulled: bool = False,
    ) -> list[ExplainedObservation] | None:
        """The trail with an observation explained by steps taken before earlier ones.

        ``is_pulled``: behind those that were granted to observations in between.
        """
        if any(goal.is_lost and goal.is_lost(stuck.nearest) for goal in stuck.unmet):
            return None
        for count, begin, steps in list_turning_points(trail, stuck.unmet, self.guide):
            if self.budget.is_spent:
                return None
            self.guide.look_at(trail[count].observation)
            start, entries = begin, trail[count:]
            if is_pulled:
                start, entries = self.pull_granted(begin, entries)
                if start is begin:
                    continue
            for wish in list_wishes(stuck.unmet):
                node = self.grant(start, wish, steps)
                if node is None:
                    continue
                found = self.repeat(trail[:count], node, entries, stuck, rounds)
                if found is not None:
                    return found
        return None

    def pull_granted(
        self, node: Node, entries: list[ExplainedObservation]
    ) -> tuple[Node, list[ExplainedObservation]]:
        """A turning point with what was granted to later observations taken there."""
        moved = entries[:1]
        for entry in entries[1:]:
            node, left = self.take_granted(node, entry)
            moved.append(evolve(entry, granted=left) if entry.granted else entry)
        return node, moved

    def grant(self, node: Node, wish: Wish, steps: int) -> Node | None:
        """A node in which this is met by hidden steps alone; None: there is none."""
        start = found = begin_event(node)
        for goals in wish:
            search = HiddenStepSearch(self.guide, Requirements(), Budget(steps, self.budget))
            moved = [goal.move_to(found) for goal in goals]
            here = tuple(goal for goal in moved if goal is not None)
            if len(here) < len(goals):
                return None
            searched = search.run(found, here)
            self.is_cut_short |= not searched.is_exhausted
            if searched.found is None:
                return None
            found = searched.found
        return None if found is start else found

    def repeat(
        self,
        trail: list[ExplainedObservation],
        node: Node,
        entries: list[ExplainedObservation],
        stuck: Stuck,
        rounds: int,
    ) -> list[ExplainedObservation] | None:
        """The trail with these entries explained from a node on, and the stuck one behind."""
        since, before = (trail[-1].since, trail[-1].after) if trail else ({}, self.begin)
        granted = list_steps(before, node)
        fired = {action.instance for action in granted}
        since = {name: ms for name, ms in since.items() if name not in fired}
        again = self.take_again(node, since, entries)
        if again is None:
            return None
        made = [*trail, evolve(again[0], granted=granted), *again[1:]]
        last = self.try_next(made[-1].after, made[-1].since, stuck.observation)
        if isinstance(last, ExplainedObservation):
            return [*made, last]
        known = self.nearest[1] if self.nearest is not None else stuck
        if len(last.unmet) < len(known.unmet):
            self.nearest = (made, last)
        is_nearer = len(last.unmet) < len(stuck.unmet) or not set(last.texts) & set(stuck.texts)
        self.has_come_nearer |= is_nearer
        if not is_nearer or rounds >= ROUNDS_MAX:
            return None
        moved = self.move_earlier(made, stuck.observation, self.may_swap)
        return moved or self.go_back(made, last, rounds + 1)

    def take_again(
        self, node: Node, since: Since, entries: list[ExplainedObservation]
    ) -> list[ExplainedObservation] | None:
        """Entries explained once more, with what was granted between them if that is possible."""
        found: list[ExplainedObservation] = []
        for number, old in enumerate(entries):
            if number:
                node = self.grant_again(node, old)
            entry = self.try_next(node, since, old.observation)
            if isinstance(entry, Stuck):
                return None
            found.append(evolve(entry, granted=old.granted))
            node, since = entry.after, entry.since
        return found

    def grant_again(self, node: Node, old: ExplainedObservation) -> Node:
        """The node after the steps that were granted before an entry, as far as they may be."""
        if old.granted:
            self.guide.look_at(old.observation)
        return self.take_granted(node, old)[0]

    def take_granted(
        self, node: Node, entry: ExplainedObservation
    ) -> tuple[Node, tuple[Action, ...]]:
        """The same at the present moment, and the steps that may not be taken."""
        left: list[Action] = []
        search = HiddenStepSearch(self.guide, Requirements(), self.budget)
        for action in entry.granted:
            after = search.take(node, action) if search.may(node, action.instance) else None
            node = after or node
            left += [action] if after is None else []
        return node, tuple(left)

    def take_all(
        self, node: Node, since: Since, observations: Iterable[Any]
    ) -> list[ExplainedObservation] | None:
        """The entries of observations from a node on; None where one of them is stuck."""
        entries: list[ExplainedObservation] = []
        for observation in observations:
            entry = self.try_next(node, since, observation)
            if isinstance(entry, Stuck):
                return None
            entries.append(entry)
            node, since = entry.after, entry.since
        return entries

    def move_earlier(
        self,
        trail: list[ExplainedObservation],
        observation: Any,
        may_pass: Callable[[Any, Any], bool],
    ) -> list[ExplainedObservation] | None:
        """The trail with an observation before some of its latest ones, if it may pass those."""
        for passed in range(1, len(trail) + 1):
            entries = trail[-passed:]
            if not may_pass(entries[0].observation, observation):
                return None
            moved = [observation, *(entry.observation for entry in entries)]
            since = trail[-passed - 1].since if passed < len(trail) else {}
            found = self.take_all(entries[0].before, since, moved)
            if found is not None:
                return [*trail[:-passed], *found]
        return None

    def move_later(self, observation: Any, waiting: list[Any]) -> list[ExplainedObservation] | None:
        """The trail with an observation behind some of the next ones, which leave ``waiting``.

        Those that cannot come before it, or cannot be explained there, come later as well.
        """
        late, entries = [observation], [*self.trail]
        for count, other in enumerate(reversed(waiting), start=1):
            if len(late) > LATE_MAX:
                return None
            may_pass = all(self.may_swap(each, other) for each in late)
            if not may_pass or not self.take_on(entries, other):
                late.append(other)
            elif self.take_on(entries, observation):
                waiting[-count:] = late[:0:-1]
                return entries
        return None

    def pass_near(self, observation: Any, waiting: list[Any]) -> bool:
        """Explains an observation behind or before others, if clocks alone may have swapped them.

        That takes few steps, so it is tried first.
        """
        self.budget = Budget(FIRST_REPAIR_STEPS, self.total)
        if self.pass_next(observation, waiting):
            return True
        trail = self.move_earlier(self.trail, observation, self.may_be_late)
        self.trail = trail or self.trail
        return trail is not None

    def pass_next(self, observation: Any, waiting: list[Any]) -> bool:
        """Explains an observation behind the next ones alone, as they stand."""
        near = list(takewhile(lambda o: self.may_be_late(observation, o), reversed(waiting)))
        entries: list[ExplainedObservation] = []
        node, since = self.node, self.since
        for count, other in enumerate(near[:LATE_MAX], start=1):
            entry = self.try_next(node, since, other)
            if isinstance(entry, Stuck):
                return False
            entries.append(entry)
            last = self.try_next(entry.after, entry.since, observation)
            if isinstance(last, ExplainedObservation):
                self.trail += [*entries, last]
                del waiting[-count:]
                return True
            node, since = entry.after, entry.since
        return False

    def take_on(self, entries: list[ExplainedObservation], observation: Any) -> bool:
        """Explains one observation more behind these entries, if that is possible."""
        node, since = (entries[-1].after, entries[-1].since) if entries else (self.begin, {})
        entry = self.try_next(node, since, observation)
        if isinstance(entry, Stuck):
            return False
        entries.append(entry)
        return True


def list_steps(before: Node, after: Node) -> tuple[Action, ...]:
    """The steps between two nodes, the first one first."""
    found: list[Action] = []
    for node in after.list_back():
        if node is before:
            break
        if node.action is not None:
            found.append(node.action)
    return tuple(reversed(found))


def list_wishes(unmet: tuple[Goal, ...]) -> Iterator[Wish]:
    """What to ask for earlier: all of it, each goal by itself, and what is on the way to one."""
    yield (unmet,)
    if len(unmet) > 1:
        for goal in unmet:
            yield ((goal,),)
    for goal in unmet:
        if goal.on_the_way:
            yield tuple((each,) for each in goal.on_the_way)
        if goal.instead is not None:
            yield ((goal.instead,),)


def list_turning_points(
    trail: Sequence[ExplainedObservation], unmet: Sequence[Goal], guide: Guide
) -> Iterator[tuple[int, Node, int]]:
    """Where something else may be done: the entry, the node, and how many steps that is worth.

    First the nodes in whose state a wanted number stands where a rule copies it from, within an
    entry too; then the latest entries.
    """
    wanted = [(goal.wanted, list_source_places(guide, goal.path)) for goal in unmet if goal.path]
    latest: dict[int, tuple[int, Node]] = {}
    shown: tuple[Any, ...] = ()
    for count in range(len(trail) - 1, -1, -1):
        entry = trail[count]
        latest[id(entry.before)] = (count, entry.before)
        for node in list_nodes(entry):
            state, is_same = node.state, (node.state, node.notes) == shown
            shown = node.state, node.notes
            if is_same:
                continue
            if any(state[place] == number for number, places in wanted for place in places):
                yield count, node, WISH_STEPS
    for count, node in sorted(latest.values(), key=lambda each: -each[0])[:GO_BACK_MAX]:
        yield count, node, FAR_WISH_STEPS


def list_nodes(entry: ExplainedObservation) -> Iterator[Node]:
    """The nodes on the way through an entry before any visible step of it, the latest first.

    From one behind such a step the observation would let it happen a second time; and what it has
    noted before its first step holds for it alone.
    """
    if entry.asked.before is not None:
        yield entry.before
        return
    for node in entry.after.list_back():
        if node is entry.before:
            yield node
            return
        if node.action is not None and not node.spent and node is not entry.after:
            yield node


def list_source_places(guide: Guide, path: str) -> tuple[int, ...]:
    """Where the leaves stand that rules copy into a leaf."""
    found = compute_dependencies(guide.machine.structure)
    leaves = {leaf for name in found.writers.get(path, ()) for leaf in found.sources[name, path]}
    return tuple(guide.machine.places[leaf] for leaf in sorted(leaves - {path}))

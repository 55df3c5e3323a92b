"""The moments of a recording, explained one after another, without going back.

Hidden steps are taken as soon as what is still to be seen allows them. Only two moments whose
stamps lie within the tolerance of a recorder may change places.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

from attrs import define, field

from brokers.explaining.hidden.advancing import Advance
from brokers.explaining.hidden.deadlines import check_overdue
from brokers.explaining.hidden.late_frames import deliver_held
from brokers.explaining.hidden.silence import check_silence
from brokers.explaining.looks.table import LOOKS
from brokers.explaining.observing import EventObserver
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.moments import Key, NotedMoment
from brokers.explaining.seen.puts import SAME_MS
from brokers.explaining.told.acknowledged import AcknowledgedPuts
from brokers.explaining.told.trail import Told, Trail
from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.reading import Recording
from reference.language.compiled import State
from reference.releases.versions import Version

Progress: TypeAlias = Callable[[int, int], None] | None
"""Is told how many moments are explained, and of how many."""

TOLD_EACH = 100
"""After so many moments it is told how far an explanation is."""

NEIGHBOURS_MAX = 5
"""How many moments one moment may come after that were noted later."""


@define(eq=False)
class GroupExplanation:
    """Explains the moments of a recording one after another."""

    observer: EventObserver
    waiting: deque[NotedMoment]
    explained: int = 0
    acknowledged: AcknowledgedPuts = field(factory=AcknowledgedPuts)
    looked_at: State = field(default=(), repr=False)
    """The state in which these were looked at last."""
    trail: Trail | None = None
    """What was explained so far, if somebody wants to be told."""
    next_looks_ms: Mapping[Key, float] = field(init=False, repr=False)
    """By moment: when the master's process notes something next, then or later."""

    @next_looks_ms.default
    def _list_next_looks(self) -> Mapping[Key, float]:
        master = self.observer.scene.plan.master
        looks_ms: dict[Key, float] = {}
        next_ms = math.inf
        for moment in reversed(self.waiting):
            if moment.event.data.get("node") == master and not moment.is_call:
                next_ms = min(next_ms, max(moment.t_ms, moment.event.t_ms))
            looks_ms[moment.key] = next_ms
        return looks_ms

    @classmethod
    def begin(
        cls,
        recording: Recording,
        version: Version,
        *,
        is_clock_exact: bool = False,
        is_schedule_kept: bool = False,
        left_out: Key | None = None,
    ) -> GroupExplanation:
        """Before the first moment; one that is left out bounds nothing that comes before it.

        Raises OutsideTheModel.
        """
        plan = make_plan(recording, version)
        scene, moments = Scene.begin(
            plan,
            is_clock_exact=is_clock_exact,
            is_schedule_kept=is_schedule_kept,
            left_out=left_out,
        )
        return cls(
            EventObserver(scene, Advance.of(scene.machine, scene.plan.scripted), LOOKS),
            deque(moments),
        )

    def run(
        self, progress: Progress = None, moments_max: int | None = None
    ) -> tuple[NotedMoment, Refusal] | None:
        """The first moment that cannot be explained, and why; None if there is none.

        ``progress`` is told now and then how many moments are explained, and of how many. With
        ``moments_max`` no more are taken.
        """
        total = len(self.waiting)
        least = 0 if moments_max is None else max(0, total - moments_max)
        while len(self.waiting) > least:
            done = total - len(self.waiting)
            if progress is not None and done and done % TOLD_EACH == 0:
                progress(done, total)
            moment = self.waiting.popleft()
            before = self.observer.scene.copy()
            try:
                self.explain(moment)
            except Refusal as refusal:
                self.observer.scene, stuck = before, self.observer.scene
                stuck.schedule = None if stuck.schedule is None else list(stuck.schedule)
                before.rewind()
                told = self.forget_from(-1)
                if not self.exchange(moment):
                    self.observer.scene = stuck
                    if self.trail is not None:
                        self.trail.moments += told
                    return moment, refusal
            self.follow_acknowledged(moment)
        return None

    def follow_acknowledged(self, moment: NotedMoment) -> None:
        """What is behind a moment of the puts that were answered."""
        scene = self.observer.scene
        if scene.plan.puts and (scene.answered or scene.state is not self.looked_at):
            self.looked_at = scene.state
            self.acknowledged.look(scene.cluster, scene.answered, moment.event.seq)
            scene.answered = ()

    def explain(self, moment: NotedMoment, look_ms: float | None = None) -> None:
        """All that has happened by then, and what the moment shows. Raises Refusal.

        ``look_ms``: when the master's process notes something next, if that is not as it stands.
        """
        scene = self.observer.scene
        scene.now_ms = max(scene.now_ms, moment.t_ms)
        scene.puts.next_look_ms = self.next_looks_ms[moment.key] if look_ms is None else look_ms
        if self.trail is not None:
            self.trail.begin(moment, scene, scene.granted)
        self.observer.advance.run(scene)
        deliver_held(scene)
        check_overdue(scene)
        if scene.is_clock_exact:
            check_silence(scene)
        self.observer.observe(moment)
        self.explained += not moment.is_call

    def exchange(self, moment: NotedMoment) -> bool:
        """Explain a moment after the next ones, as far as their stamps may be exchanged."""
        soon = takewhile(lambda other: other.t_ms - moment.t_ms <= JITTER_MS, self.waiting)
        near = [other for other in soon if may_exchange(moment, other)]
        before, explained = self.observer.scene, self.explained
        come_to = 0 if self.trail is None else len(self.trail.moments)
        for others in list_orders(near, get_clock(moment)):
            before.rewind()
            self.observer.scene, self.explained = before.copy(), explained
            self.forget_from(come_to)
            if self.explain_after(moment, others):
                self.waiting = deque(e for e in self.waiting if e not in others)
                return True
        before.rewind()
        self.observer.scene, self.explained = before, explained
        self.forget_from(come_to)
        return False

    def forget_from(self, place: int) -> Sequence[Told]:
        """What was told from a place of the trail on has not happened."""
        return () if self.trail is None else self.trail.forget_from(place)

    def explain_after(self, moment: NotedMoment, others: Sequence[NotedMoment]) -> bool:
        """Explain others first."""
        pins = self.observer.scene.pins
        pins.postpone(moment.key, {other.key for other in others})
        before_ms = math.inf
        if moment.event.data.get("node") == self.observer.scene.plan.master and not moment.is_call:
            before_ms = max(moment.t_ms, moment.event.t_ms) - 2 * SAME_MS
        try:
            for other in others:
                self.explain(other, min(before_ms, self.next_looks_ms[other.key]))
            self.explain(moment, self.find_look_ms(moment, others))
        except Refusal:
            return False
        return True

    def find_look_ms(self, moment: NotedMoment, others: Sequence[NotedMoment]) -> float:
        """When the master's process notes something after others, at this moment or later."""
        master = self.observer.scene.plan.master
        for each in (moment, *self.waiting):
            if each not in others and each.event.data.get("node") == master and not each.is_call:
                return max(each.t_ms, each.event.t_ms)
        return math.inf


def list_orders(near: Sequence[NotedMoment], own: str) -> Iterator[Sequence[NotedMoment]]:
    """The orders in which some of these moments may come before one that was noted before them.

    The first ones of all, or of those that other clocks have stamped. Clocks differ, so what one
    of them has stamped may come before these.
    """
    elsewhere = [each for each in near if get_clock(each) != own]
    told: list[Sequence[NotedMoment]] = []
    for first in [[], *list_ahead(elsewhere)]:
        for left in (near, elsewhere):
            for order in list_beginnings([each for each in left if each not in first]):
                if (tried := [*first, *order]) and tried not in told:
                    told.append(tried)
                    yield tried


def list_ahead(moments: Sequence[NotedMoment]) -> Iterator[Sequence[NotedMoment]]:
    """The first moments that each clock has stamped."""
    for clock in dict.fromkeys(map(get_clock, moments)):
        own = [each for each in moments if get_clock(each) == clock]
        yield from (each for each in list_beginnings(own) if each)


def list_beginnings(moments: Sequence[NotedMoment]) -> Iterator[Sequence[NotedMoment]]:
    """No moment, the first one, the first two, and so on."""
    yield from (moments[:number] for number in range(min(len(moments), NEIGHBOURS_MAX) + 1))


def get_clock(moment: NotedMoment) -> str:
    """Who has stamped a moment: a broker, or the recorder for the rest."""
    return str(moment.event.data.get("node", ""))


def may_exchange(moment: NotedMoment, other: NotedMoment) -> bool:
    """A moment may have come after one that was noted later.

    One clock notes what its process does in its order; only puts are under way beside others.
    """
    if moment.event.seq == other.event.seq:
        return False
    if moment.event.data.get("node") != other.event.data.get("node"):
        return True
    return moment.event.kind == "put" and other.t_ms <= moment.event.t_ms

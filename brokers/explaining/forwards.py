"""A recording of one group of brokers, explained forwards, moment by moment, without a search.

Hidden steps are taken as soon as what is still to be seen allows them, so no choice is ever taken
back. Only two moments whose stamps lie within the tolerance of a recorder may change places.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence

from attrs import define, evolve, field, frozen

from brokers.explaining.advancing import Advance
from brokers.explaining.deadlines import check_overdue
from brokers.explaining.moments import Key, Moment
from brokers.explaining.observing import Observer
from brokers.explaining.scene import Refused, Scene
from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.log.explain import CONFORMS, REJECTED, LogVerdict
from brokers.recordings.reading import Recording
from reference.releases.versions import Version
from reference.worlds.replication.state import Cluster

NEIGHBOURS_MAX = 5
"""How many moments one moment may come after that were noted later."""


@frozen
class ForwardVerdict(LogVerdict):
    """What is said of one group."""

    scene: Scene | None = field(default=None, repr=False)

    @property
    def cluster(self) -> Cluster | None:
        """The state at the end, or before what is not explained."""
        return None if self.scene is None else self.scene.cluster


@define(eq=False)
class Explanation:
    """Explains the moments of a recording one after another."""

    observer: Observer
    waiting: deque[Moment]
    explained: int = 0
    next_looks_ms: Mapping[Key, float] = field(init=False, repr=False)
    """By moment: when the master's process notes something next, then or later."""

    @next_looks_ms.default
    def _list_next_looks(self) -> Mapping[Key, float]:
        master = self.observer.scene.plan.master
        looks_ms: dict[Key, float] = {}
        next_ms = math.inf
        for moment in reversed(self.waiting):
            if moment.event.data.get("node") == master and not moment.is_call:
                next_ms = min(next_ms, moment.t_ms)
            looks_ms[moment.key] = next_ms
        return looks_ms

    def run(self) -> tuple[Moment, str] | None:
        """The first moment that cannot be explained, and why; None if there is none."""
        while self.waiting:
            moment = self.waiting.popleft()
            before = self.observer.scene.copy()
            try:
                self.explain(moment)
            except Refused as refusal:
                self.observer.scene, stuck = before, self.observer.scene
                if not self.exchange(moment):
                    self.observer.scene = stuck
                    return moment, str(refusal)
        return None

    def explain(self, moment: Moment) -> None:
        """All that has happened by then, and what the moment shows. Raises Refused."""
        scene = self.observer.scene
        scene.now_ms = max(scene.now_ms, moment.t_ms)
        scene.puts.next_look_ms = self.next_looks_ms[moment.key]
        self.observer.advance.run(scene)
        check_overdue(scene)
        self.observer.observe(moment)
        self.explained += not moment.is_call

    def exchange(self, moment: Moment) -> bool:
        """Explain a moment after the next ones, as far as their stamps may be exchanged."""
        near = [each for each in self.waiting if each.t_ms - moment.t_ms <= JITTER_MS]
        before, explained = self.observer.scene, self.explained
        for number in range(1, min(len(near), NEIGHBOURS_MAX) + 1):
            self.observer.scene, self.explained = before.copy(), explained
            if self.explain_after(moment, near[:number]):
                for _ in range(number):
                    self.waiting.popleft()
                return True
        self.observer.scene, self.explained = before, explained
        return False

    def explain_after(self, moment: Moment, others: Sequence[Moment]) -> bool:
        """Explain others first; the pins of the moment bound nothing until then."""
        pins = self.observer.scene.pins
        pins.ignored = frozenset({moment.key})
        try:
            for other in others:
                self.explain(other)
            pins.ignored = frozenset()
            pins.pass_moment(moment.key)
            self.explain(moment)
        except Refused:
            return False
        return True


def explain_forwards(recording: Recording, version: Version) -> ForwardVerdict:
    """The verdict on one group of brokers.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    scene, moments = Scene.begin(make_plan(recording, version))
    observer = Observer(scene, Advance.of(scene.machine))
    explanation = Explanation(observer, deque(moments))
    stuck = explanation.run()
    scene = observer.scene
    verdict = ForwardVerdict(
        CONFORMS,
        explanation.explained,
        {},
        observer.checked,
        tuple(step.action for step in scene.steps),
        scene=scene,
    )
    if stuck is None:
        return verdict
    moment, reason = stuck
    return evolve(verdict, word=REJECTED, seq=moment.event.seq, reason=reason)

"""A recording of one group of brokers, explained forwards, moment by moment, without a search.

Hidden steps are taken as soon as what is still to be seen allows them, so no choice is ever taken
back. Only two moments whose stamps lie within the tolerance of a recorder may change places.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import takewhile

from attrs import define, evolve, field, frozen

from brokers.explaining.advancing import Advance
from brokers.explaining.checking import CHECKS
from brokers.explaining.deadlines import check_overdue
from brokers.explaining.links import UNSEEN
from brokers.explaining.moments import Key, Moment
from brokers.explaining.observing import LOOKS, Observer
from brokers.explaining.scene import Refused, Scene
from brokers.recordings.ahead.plan import SCRIPTED, make_plan
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.log.explain import CONFORMS, REJECTED, LogVerdict
from brokers.recordings.reading import Recording
from brokers.recordings.roles.places import EXCHANGE
from reference.releases.releases import CONTROLLER
from reference.releases.versions import Version
from reference.worlds.replication.state import Cluster

KINDS = IGNORED_KINDS | {*LOOKS, *CHECKS, "proxy_target_down"}
"""Kinds of events that are explained."""

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
        soon = takewhile(lambda other: other.t_ms - moment.t_ms <= JITTER_MS, self.waiting)
        near = [other for other in soon if may_exchange(moment, other)]
        before, explained = self.observer.scene, self.explained
        for number in range(1, min(len(near), NEIGHBOURS_MAX) + 1):
            self.observer.scene, self.explained = before.copy(), explained
            if self.explain_after(moment, near[:number]):
                self.waiting = deque(e for e in self.waiting if e not in near[:number])
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


def may_exchange(moment: Moment, other: Moment) -> bool:
    """A moment may have come after one that was noted later.

    One clock notes what its process does in its order; only puts are under way beside others.
    """
    if moment.event.data.get("node") != other.event.data.get("node"):
        return True
    return moment.event.kind == "put" and other.t_ms <= moment.event.t_ms


def is_explained_forwards(recording: Recording, version: Version) -> bool:
    """The recording has no event that is explained elsewhere.

    A controller's, a broker's that starts in another part, and those of somebody who leaves puts or
    starts out are.
    """
    config = recording.config.data
    return (
        version.mode != CONTROLLER
        and not any(config.get(name) is True for name in UNSEEN)
        and not any(node.get(SCRIPTED) is True for node in config["nodes"].values())
        and all(e.kind in KINDS and EXCHANGE not in e.data for e in recording.events)
    )


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

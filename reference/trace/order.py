"""In which order the observations of a recording are explained.

Time stamps of different processes and threads are good to a few ms only: a thread may look at a
value, lose the processor, and note the time afterwards. So an observation that cannot be explained
where it stands is tried a little earlier, before what another thread or process noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from reference.trace.clock import JITTER_MS
from reference.trace.handlers import PUT_BEGIN, explain
from reference.trace.reading import Event, Recording
from reference.trace.state import Blocked, Explanation

FIXED_KINDS = frozenset(
    {
        "node_kill9",
        "node_started",
        "node_stop_begin",
        "node_stop_clean",
        "process_exit",
        "store_surgery",
    }
)
"""Events that keep their place, and that nothing passes."""


@frozen
class Observation:
    """One thing to explain: an event, or one half of a ``put``."""

    t_ms: float
    """When it was noted."""
    kind: str
    """The event's kind, or PUT_BEGIN."""
    event: Event
    """The line that it stands in."""

    @property
    def is_whole(self) -> bool:
        """With it, all of its event is explained."""
        return self.kind == self.event.kind

    @property
    def source(self) -> str:
        """The process that noted it: a broker, or the proxy of the links."""
        return str(self.event.data.get("node", "proxy"))

    @property
    def interval_ms(self) -> tuple[float, float]:
        """From when to when the thread that noted it was busy with it."""
        if self.event.kind != "put":
            return self.t_ms, self.t_ms
        return float(self.event["t_begin_ms"]), self.event.t_ms


Step: TypeAlias = tuple[Explanation, Observation]
"""An observation, and the explanation before it."""


def order_observations(recording: Recording, *, without: frozenset[str]) -> list[Observation]:
    """Events in the order of the file, without some kinds; a put is also seen when it begins."""
    events = [event for event in recording.events if event.kind not in without]
    begins = [
        Observation(float(event["t_begin_ms"]), PUT_BEGIN, event)
        for event in events
        if event.kind == "put"
    ]
    begins.sort(key=lambda begin: begin.t_ms, reverse=True)
    found: list[Observation] = []
    for event in events:
        while begins and begins[-1].t_ms <= event.t_ms:
            found.append(begins.pop())
        found.append(Observation(event.t_ms, event.kind, event))
    return found + begins[::-1]


def explain_next(
    history: list[Step], explanation: Explanation, waiting: list[Observation]
) -> Explanation:
    """The explanation with the next observation, at its place or near it.

    The next one stands last in ``waiting``; what is explained goes from there to ``history``.

    Raises:
        Blocked: it can be explained nowhere; with the reason why not at its place.
    """
    observation = waiting[-1]
    try:
        after = _explain(explanation, observation)
    except Blocked:
        repaired = _explain_earlier(history, waiting)
        if repaired is None:
            raise
        return repaired
    history.append((explanation, waiting.pop()))
    return after


def _explain(explanation: Explanation, observation: Observation) -> Explanation:
    return explain(explanation, observation.kind, observation.t_ms, observation.event)


def _explain_earlier(history: list[Step], waiting: list[Observation]) -> Explanation | None:
    """The next observation before some of the latest ones."""
    observation = waiting[-1]
    for passed in range(1, _count_passable(history, observation) + 1):
        latest = history[-passed:]
        moved = evolve(observation, t_ms=latest[0][1].t_ms)
        found = _explain_all(latest[0][0], [moved, *(step[1] for step in latest)])
        if found:
            history[-passed:] = found[0]
            waiting.pop()
            return found[1]
    return None


def _explain_all(
    explanation: Explanation, observations: Sequence[Observation]
) -> tuple[list[Step], Explanation] | None:
    steps: list[Step] = []
    try:
        for each in observations:
            steps.append((explanation, each))
            explanation = _explain(explanation, each)
    except Blocked:
        return None
    return steps, explanation


def _count_passable(history: Sequence[Step], observation: Observation) -> int:
    """How many of the latest observations may really have happened after this one."""
    count = 0
    for _, earlier in reversed(history):
        is_near = observation.t_ms - earlier.t_ms <= JITTER_MS
        if not is_near or not _are_independent(earlier, observation):
            break
        count += 1
    return count


def _are_independent(earlier: Observation, later: Observation) -> bool:
    """Of two processes, or of two threads: no thread is busy with two things at a time."""
    if FIXED_KINDS & {earlier.kind, later.kind} or earlier.event is later.event:
        return False
    if earlier.source != later.source:
        return True
    # The proxy is one thread, and so is the one that looks at brokers; only puts overlap.
    return later.interval_ms[0] < earlier.interval_ms[1]

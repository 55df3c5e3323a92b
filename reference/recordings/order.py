"""In which order the observations of a recording are explained.

Time stamps of different processes and threads are good to a few ms only: a thread may look at a
value, lose the processor, and note the time afterwards. So an observation that cannot be explained
where it stands is tried a little earlier, before what another thread or process noted, and then a
little later, behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from reference.recordings.clock import JITTER_MS, KILL_MS, SKEW_MS
from reference.recordings.handlers import PUT_BEGIN, explain
from reference.recordings.kinds import IGNORED_KINDS, START_KINDS
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation

PROXY = "proxy"
"""Who notes what goes over the links."""

FIXED_KINDS = frozenset(
    {
        "node_started",
        "broker_started",
        "node_stop_clean",
        "process_exit",
        "store_surgery",
        "store_wiped",
    }
)
"""Events that keep their place, and that nothing passes."""

LOOK_AHEAD_MAX = 64
"""No more observations than this are passed by one that is noted late."""

STORE_IS_SHUT = "message store has shutdown"
"""How a store that is shut down begins each refusal (DefaultMessageStore)."""

SEND_WAIT_MS = 100
"""How long ``HAConnection.WriteSocketService#run`` waits when it has nothing to send."""

HISTORY_MAX = 256
"""More observations than this within a few ms are not put into another order."""


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
        return str(self.event.data.get("node", PROXY))

    @property
    def interval_ms(self) -> tuple[float, float]:
        """From when to when the thread that noted it was busy with it."""
        if self.event.kind == "put":
            return float(self.event["t_begin_ms"]), self.event.t_ms
        if self.event.data.get("derived") is True:
            return self.t_ms - JITTER_MS, self.t_ms + JITTER_MS
        return self.t_ms, self.t_ms


Step: TypeAlias = tuple[Explanation, Observation]
"""An observation, and the explanation before it."""

History: TypeAlias = deque[Step]
"""The latest steps, as many as may still be put into another order."""


def order_observations(every: Iterable[Event]) -> Iterator[Observation]:
    """Events in the order of the file; a put is also seen when it begins, and so is a stop.

    Remarks are left out.
    """
    every = list(every)
    events = [event for event in every if event.kind not in IGNORED_KINDS]
    begins = [
        Observation(float(event["t_begin_ms"]), PUT_BEGIN, event)
        for event in events
        if event.kind == "put"
    ]
    begins += derive_stops(events)
    begins += derive_logged_stops(every)
    begins.sort(key=lambda begin: begin.t_ms, reverse=True)
    for event in events:
        while begins and begins[-1].t_ms <= event.t_ms:
            yield begins.pop()
        yield Observation(event.t_ms, event.kind, event)
    yield from begins[::-1]


def derive_stops(events: Iterable[Event]) -> Iterator[Observation]:
    """The begins of clean stops that a recording leaves out: their ends tell how long they took."""
    begun: set[str] = set()
    for event in events:
        if event.kind == "node_stop_begin":
            begun.add(event["node"])
        if event.kind in START_KINDS:
            begun.discard(event["node"])
        took_ms = event.data.get("shutdown_ms")
        if event.kind != "node_stop_clean" or event["node"] in begun:
            continue
        if isinstance(took_ms, int | float) and not isinstance(took_ms, bool) and took_ms >= 0:
            data = {"node": event["node"], "derived": True}
            t_ms = event.t_ms - took_ms
            begin = Event(event.line, event.seq, t_ms, "node_stop_begin", data)
            yield Observation(t_ms, "node_stop_begin", begin)


def derive_logged_stops(events: Iterable[Event]) -> Iterator[Observation]:
    """The begins of clean stops that only a broker's own log tells of.

    A store that is shut down says so when somebody asks it for something; who wants to send bytes
    does so every 100 ms. The begin is put as early as that and the last event about it allow.
    """
    latest: dict[str, Event] = {}
    told: set[str] = set()
    stops = find_nodes_with_stop(events)
    for event in events:
        node = str(event.data.get("node", PROXY))
        is_closed = str(event.data.get("msg", "")).startswith(STORE_IS_SHUT)
        if event.kind == "log" and is_closed and node not in {*told, *stops}:
            told.add(node)
            before_ms = latest[node].t_ms + SKEW_MS if node in latest else 0.0
            t_ms = min(event.t_ms, max(before_ms, event.t_ms - SEND_WAIT_MS))
            data = {"node": node, "derived": True}
            begin = Event(event.line, event.seq, t_ms, "node_stop_begin", data)
            yield Observation(t_ms, "node_stop_begin", begin)
        if event.kind not in IGNORED_KINDS:
            latest[node] = event


def find_nodes_with_stop(events: Iterable[Event]) -> frozenset[str]:
    """The brokers of whose clean stops an event tells; nothing needs to be derived for them."""
    kinds = {"node_stop_begin", "node_stop_clean"}
    return frozenset(str(event["node"]) for event in events if event.kind in kinds)


def explain_next(
    history: History, explanation: Explanation, waiting: list[Observation]
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
            repaired = _explain_later(history, explanation, waiting)
        if repaired is None:
            repaired = _delay_earlier(history, waiting)
        if repaired is None:
            raise
        return repaired
    history.append((explanation, waiting.pop()))
    return after


def _explain(explanation: Explanation, observation: Observation) -> Explanation:
    return explain(explanation, observation.kind, observation.t_ms, observation.event)


def _explain_earlier(history: History, waiting: list[Observation]) -> Explanation | None:
    """The next observation before some of the latest ones."""
    observation = waiting[-1]
    latest: list[Step] = []
    for passed in range(1, _count_passable(history, observation) + 1):
        latest.insert(0, history[-passed])
        moved = evolve(observation, t_ms=latest[0][1].t_ms)
        found = _explain_all(latest[0][0], [moved, *(step[1] for step in latest)])
        if found:
            for _ in latest:
                history.pop()
            history.extend(found[0])
            waiting.pop()
            return found[1]
    return None


def _explain_later(
    history: History, explanation: Explanation, waiting: list[Observation]
) -> Explanation | None:
    """The next observation behind what others noted soon after it; they pass whom they may."""
    followers = _list_followers(waiting)
    for is_proxy_only in (True, False):
        chosen: list[int] = []
        skipped = [waiting[-1]]
        for place in followers:
            follower = waiting[place]
            is_own = follower.source == waiting[-1].source
            is_left = is_own or (is_proxy_only and follower.source != PROXY)
            if is_left or not all(_may_swap(each, follower) for each in skipped):
                skipped.append(follower)
                continue
            chosen.append(place)
            found = _explain_sooner(explanation, waiting, chosen)
            if found:
                history.extend(found[0])
                for each in (len(waiting) - 1, *chosen):
                    del waiting[each]
                return found[1]
    return None


def _list_followers(waiting: Sequence[Observation]) -> list[int]:
    """The places of the observations that follow the next one within the tolerance."""
    found: list[int] = []
    for place in range(len(waiting) - 2, -1, -1):
        is_near = waiting[place].t_ms - waiting[-1].t_ms <= JITTER_MS
        if not is_near or len(found) == LOOK_AHEAD_MAX:
            break
        found.append(place)
    return found


def _explain_sooner(
    explanation: Explanation, waiting: Sequence[Observation], chosen: Sequence[int]
) -> tuple[list[Step], Explanation] | None:
    sooner = [evolve(waiting[place], t_ms=waiting[-1].t_ms) for place in chosen]
    return _explain_all(explanation, [*sooner, waiting[-1]])


def _delay_earlier(history: History, waiting: list[Observation]) -> Explanation | None:
    """One of the latest observations behind all that came since, this one included."""
    observation = waiting[-1]
    since: list[Observation] = [observation]
    for place in range(1, len(history) + 1):
        before, delayed = history[-place]
        if observation.t_ms - delayed.t_ms > JITTER_MS:
            return None
        if all(_may_swap(delayed, each) for each in since):
            moved = evolve(delayed, t_ms=observation.t_ms)
            found = _explain_all(before, [*since, moved])
            if found:
                for _ in range(place):
                    history.pop()
                history.extend(found[0])
                waiting.pop()
                return found[1]
        since.insert(0, delayed)
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


def _count_passable(history: History, observation: Observation) -> int:
    """How many of the latest observations may really have happened after this one."""
    count = 0
    for _, earlier in reversed(history):
        is_kill = earlier.kind == "node_kill9" and observation.source == PROXY
        reach_ms = KILL_MS if is_kill or count else JITTER_MS
        if observation.t_ms - earlier.t_ms > (reach_ms if is_kill else JITTER_MS):
            break
        if not _may_swap(earlier, observation):
            break
        count += 1
    return count


def _may_swap(earlier: Observation, later: Observation) -> bool:
    """Of two processes, or of two threads: no thread is busy with two things at a time."""
    kinds = {earlier.kind, later.kind}
    if FIXED_KINDS & kinds or earlier.event is later.event:
        return False
    if "node_kill9" in kinds and PROXY not in (earlier.source, later.source):
        return False
    if earlier.source != later.source:
        return True
    # The proxy is one thread, and so is the one that looks at brokers; only puts overlap.
    return later.interval_ms[0] < earlier.interval_ms[1]


def forget_old(history: History, now_ms: float) -> None:
    """What happened too long ago to be put into another order need not be kept."""
    reach_ms = JITTER_MS + KILL_MS
    while history and (now_ms - history[0][1].t_ms > reach_ms or len(history) > HISTORY_MAX):
        history.popleft()

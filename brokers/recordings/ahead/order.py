"""In which order the observations of a recording are explained.

Time stamps of different processes and threads are good to a few ms only: a thread may look at a
value, lose the processor, and note the time afterwards. So `may_swap` says which observations may
change places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from attrs import frozen

from brokers.recordings.clock import JITTER_MS, KILL_MS, LOOK_MS, SKEW_MS, SLACK_MS
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import IGNORED_KINDS, START_KINDS
from brokers.recordings.reading import Event

PUT_BEGIN = "put_begin"
"""The first half of a ``put`` line: what its producer saw before the call."""

STATUS_BEGIN = "status_begin"
"""The first half of a ``broker_status`` line: the question, whose answer is no older."""

PROXY = "proxy"
"""Who notes what goes over the links."""

FIXED_KINDS = frozenset(
    {
        "node_started",
        "broker_started",
        "process_started",
        "node_stop_clean",
        "process_exit",
        "store_surgery",
        "store_wiped",
    }
)
"""Events that keep their place, and that nothing passes."""

SENT_KINDS = frozenset({"ha_report", "ha_frame"})
"""What brokers send to each other."""

STORE_IS_SHUT = "message store has shutdown"
"""How a store that is shut down begins each refusal (DefaultMessageStore)."""

HOOK_RUNS = "Shutdown hook was invoked"
"""How a whole broker begins to stop (BrokerStartup#createBrokerController)."""

SEND_WAIT_MS = 100
"""How long ``HAConnection.WriteSocketService#run`` waits when it has nothing to send."""


@frozen
class Observation:
    """One thing to explain: an event, or one half of a ``put``."""

    t_ms: float
    """When it was noted."""
    kind: str
    """The event's kind, or PUT_BEGIN or STATUS_BEGIN."""
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
            begin_ms = float(self.event["t_begin_ms"])
            # An answer is given when the wait for it is over, and the producer is told at once.
            is_answer = self.kind == "put"
            least_ms = self.event.t_ms - SLACK_MS if is_answer else begin_ms
            return max(begin_ms, least_ms), self.event.t_ms
        if self.event.kind == "broker_status":
            return find_question_ms(self.event), self.event.t_ms
        if self.event.data.get("derived") is True:
            return self.t_ms - JITTER_MS, self.t_ms + JITTER_MS
        return self.t_ms, self.t_ms

    @property
    def earliest_ms(self) -> float:
        """When it was made at the earliest."""
        return self.interval_ms[0] - JITTER_MS


def order_observations(every: Iterable[Event]) -> Iterator[Observation]:
    """Events in the order of the file; a put, a question and a stop are also seen when they begin.

    Remarks are left out.
    """
    every = list(every)
    events = [event for event in every if event.kind not in IGNORED_KINDS]
    begins = [
        Observation(float(event["t_begin_ms"]), PUT_BEGIN, event)
        for event in events
        if event.kind == "put"
    ]
    begins += [
        Observation(find_question_ms(event), STATUS_BEGIN, event)
        for event in events
        if event.kind == "broker_status"
    ]
    begins += derive_stops(events)
    begins += derive_logged_stops(every)
    begins.sort(key=lambda begin: begin.t_ms, reverse=True)
    for event in order_last_messages(events):
        while begins and begins[-1].t_ms <= event.t_ms:
            yield begins.pop()
        yield Observation(event.t_ms, event.kind, event)
    yield from begins[::-1]


def order_last_messages(events: Sequence[Event]) -> list[Event]:
    """The events with what was still on its way at its sender's kill put before that."""
    linked = {event["link"] for event in events if "link" in event.data}
    ordered: list[Event] = []
    for event in events:
        late_by = count_since_kill(ordered, event, linked) if event.kind in SENT_KINDS else 0
        ordered.insert(len(ordered) - late_by, event)
    return ordered


def count_since_kill(before: Sequence[Event], sent: Event, linked: Collection[str]) -> int:
    """How many events lie behind the kill of the sender; 0 for no kill.

    ``linked``: the links that there are, each named after its slave.
    """
    for count, event in enumerate(reversed(before), start=1):
        if event.t_ms < sent.t_ms - KILL_MS:
            break
        if event.kind != "node_kill9":
            continue
        link = LINK_PREFIX + event["node"]
        is_sender = link == sent["link"] if sent.kind == "ha_report" else link not in linked
        if is_sender:
            return count
    return 0


def find_question_ms(status: Event) -> float:
    """When a broker was asked about itself, by its own clock at the earliest."""
    return float(status.data.get("t_begin_ms", status.t_ms)) - JITTER_MS


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
        is_closed = str(event.data.get("msg", "")).startswith((STORE_IS_SHUT, HOOK_RUNS))
        if event.kind in START_KINDS:
            told.discard(node)
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


def may_swap(earlier: Observation, later: Observation) -> bool:
    """Two observations may have happened in the other order, by their sources and stamps."""
    if earlier.event is later.event or {earlier.kind, later.kind} & FIXED_KINDS:
        return False
    if earlier.source == later.source:
        # Who looks at brokers is one thread, and so is each producer; only puts overlap, among
        # themselves and with looks. A look is stamped when all its fields have been read.
        is_look_at_put = later.kind == "snapshot" and earlier.event.kind == "put"
        read_ms = LOOK_MS if is_look_at_put else 0.0
        return later.interval_ms[0] - read_ms < earlier.interval_ms[1]
    return later.interval_ms[0] - JITTER_MS <= earlier.interval_ms[1] + JITTER_MS


def may_be_late(earlier: Observation, later: Observation) -> bool:
    """They may be swapped, and the difference of two clocks is enough for that."""
    return later.t_ms - earlier.t_ms <= SKEW_MS and may_swap(earlier, later)

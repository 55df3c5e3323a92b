"""In which order the observations of a recording are explained.

Time stamps of different processes and threads are good to a few ms only: a thread may look at a
value, lose the processor, and note the time afterwards. So `may_swap` says which observations may
change places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from brokers.recordings.clock import JITTER_MS, SKEW_MS
from brokers.recordings.kinds import IGNORED_KINDS, START_KINDS
from brokers.recordings.reading import Event

PROXY = "proxy"
"""Who notes what goes over the links."""


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

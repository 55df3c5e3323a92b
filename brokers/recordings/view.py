"""What an event is held against: one state of the reference, and what was shown beside it.

A check gets this view and the event, raises `Blocked` where they do not agree, and gives the view
back with what the event has taught.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from attrs import evolve, field, fields, frozen

from brokers.recordings.ahead.plan import MASTER, Plan
from brokers.recordings.clock import GRAIN_MS, LATE_MS, TIMER_RANGES, Timers
from brokers.recordings.reading import Event
from brokers.recordings.tables.read_side import ReadSide
from brokers.recordings.tables.worlds import TableSide
from reference.language.rule import replace_at
from reference.worlds.replication.state import Cluster, CommitLog


class Blocked(Exception):  # noqa: N818
    """An event does not agree with what is known; the text says with what, in one sentence."""


@frozen
class ShownBroker:
    """What a recording shows of one broker beside the model's state."""

    is_started: bool = False
    """It was seen to start, and not to end since."""
    started_ms: float = 0.0
    """When it was seen to have started."""
    stop_begin_ms: float | None = None
    """When its clean stop began; None while there is none."""
    is_store_closed: bool = False
    """Its clean stop is over; its process may live on."""
    dispatched_offset: int = 0
    """How far its dispatch was shown to have come in this process."""
    ha_master_address: str | None = None
    """Where the slave was told to find its master."""


@frozen
class Displaced:
    """Bytes that a slave has stored at another offset than its master has them at (R-HC-20)."""

    life: int
    """The life of the master's log that they are of."""
    begin: int
    """Where the slave has the first of them."""
    end: int
    """One past the last of them, by the slave's log."""
    source: int
    """Where the master has the first of them."""
    is_recovered: bool = False
    """A later process has found them: its recovery has cut queues by the offsets that entries name
    (ConsumeQueue#truncateDirtyLogicFiles)."""

    def cut(self, end: int) -> Displaced | None:
        """What is left of them in a log that ends here."""
        return evolve(self, end=min(self.end, end)) if self.begin < end else None


LEARNT = ("checksums", "timers", "reads", "tables", "sends")
"""What checks may change; a recording shows the rest."""


@frozen
class KnownFacts:
    """What was shown of brokers and links beside the state, and what checks have learnt."""

    master: ShownBroker = field(factory=ShownBroker)
    slaves: tuple[ShownBroker, ...] = ()
    checksums: Mapping[tuple[int, ...], str] = field(factory=dict)
    """The CRC seen of each content: a range, and where in it each life of the log ends."""
    timers: Timers | None = None
    """The master's, if a ``set_config`` has changed them."""
    reads: ReadSide = field(factory=ReadSide)
    """What reads depend on."""
    tables: TableSide = field(factory=TableSide)
    """What the brokers' tables may be."""
    sends: int = 0
    """How many messages were sent through a whole master since its log was seen last."""
    master_role: str = ""
    """The ``brokerRole`` with which the master starts."""
    abort_files: frozenset[int] = frozenset()
    """The brokers whose last process has left its abort file."""

    def get_broker(self, node: int) -> ShownBroker:
        """One broker, by slave number or MASTER."""
        return self.master if node == MASTER else self.slaves[node]

    def change_broker(self, node: int, **changes: Any) -> Self:
        """With one broker changed."""
        broker = evolve(self.get_broker(node), **changes)
        if node == MASTER:
            return evolve(self, master=broker)
        return evolve(self, slaves=replace_at(self.slaves, node, broker))

    def start_broker(self, node: int, event: Event) -> Self:
        """A broker was seen to start."""
        address = event.data.get("ha_master_address")
        return self.change_broker(
            node,
            is_started=True,
            started_ms=event.t_ms,
            stop_begin_ms=None,
            is_store_closed=False,
            dispatched_offset=0,
            ha_master_address=address if isinstance(address, str) else None,
        )

    def learn(self, after: View) -> Self:
        """With what a check has learnt."""
        return evolve(self, **{name: getattr(after, name) for name in LEARNT})


KNOWN = tuple(each.name for each in fields(KnownFacts))


@frozen(kw_only=True)
class View(KnownFacts):
    """One state of the reference, and what the recording has shown beside it."""

    plan: Plan
    """What is known in advance."""
    cluster: Cluster
    """The state."""
    next_put: int = 0
    """Number of the put that is appended next."""
    followed: tuple[int, ...] = ()
    """The puts that the messages of the cluster follow, in the order of their places."""
    process: int = 0
    """How many processes of the master have ended."""
    now_ms: float = 0.0
    """When the present event was seen."""
    displaced: tuple[Displaced | None, ...] = ()
    """By slave: the bytes that it has at a foreign offset, as a frame has shown them."""

    @property
    def log(self) -> CommitLog:
        """The master's log."""
        return self.cluster.master.log

    def get_log(self, node: int) -> CommitLog:
        """A broker's log, by slave number or MASTER."""
        return self.log if node == MASTER else self.cluster.slaves[node].log

    def is_up(self, node: int) -> bool:
        """A broker's process runs, in the model."""
        return self.cluster.master.is_up if node == MASTER else self.cluster.slaves[node].is_up

    def is_stopping(self, node: int) -> bool:
        """A broker's clean stop has begun, in the model."""
        master, slaves = self.cluster.master, self.cluster.slaves
        return master.is_stopping if node == MASTER else slaves[node].is_stopping


def check(view: View, name: str, expected: object, observed: object) -> View:
    """One observed value compared with what the state says; raises Blocked when they differ."""
    if expected != observed:
        raise Blocked(f"{name} is {observed!r}, but {expected!r} by the model")
    return view


def get_timers(view: View, slave: int | None = None) -> Timers:
    """The timers of the master, or of a slave and its master."""
    timers = view.timers or view.plan.timers
    return timers if slave is None else timers.with_slave(view.plan.slave_timers[slave])


def check_timer(
    view: View,
    timer: str,
    elapsed_ms: float,
    *,
    slave: int | None = None,
    extra_ms: float = 0.0,
) -> View:
    """A duration compared with the range of its timer; ``extra_ms`` may come on top of it.

    What lies between a slave and the proxy of its link is measured less exactly than what lies
    between two events of one process.
    """
    grain_ms = GRAIN_MS if slave is None else LATE_MS
    timer_range = TIMER_RANGES[timer](get_timers(view, slave))
    wider = evolve(timer_range, high_ms=timer_range.high_ms + extra_ms)
    violation = wider.explain_violation(elapsed_ms, grain_ms)
    if violation:
        raise Blocked(violation)
    return view

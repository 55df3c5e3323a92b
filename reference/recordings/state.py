"""The least explanation of a recording so far: one state of the reference, and what surrounds it.

Almost everything hidden only moves forward: appends, flushes, accepted connections, bytes sent and
arrived, reports read. So one concrete cluster suffices, the least one that is consistent with the
events so far. An event demands more, and hidden rules fire until the demand is met; where the least
cluster is already beyond what an event shows, the recording is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from reference.language.machine import Action, Instance, Outcome, compute_machine, probe
from reference.language.rule import Rule, replace_at
from reference.recordings.clock import FOREVER_MS, GRAIN_MS, JITTER_MS, TIMER_RANGES, Timers
from reference.recordings.plan import MASTER, Plan
from reference.recordings.read_side import ReadSide
from reference.recordings.table_worlds import TableSide
from reference.worlds.replication.state import Cluster, CommitLog, Link


class Blocked(Exception):  # noqa: N818
    """The event cannot be explained: what it demands, and which conditions stand in the way."""

    def __init__(
        self,
        reason: str,
        instance: str = "",
        failed: tuple[str, ...] = (),
        cluster: Cluster | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        """One sentence."""
        self.instance = instance
        """The rule instance that would have been needed; empty when no rule could help."""
        self.failed = failed
        """The names of its conditions that do not hold."""
        self.cluster = cluster
        """The state in which they do not; None for the state before the event."""


@frozen
class Broker:
    """What a recording shows of one broker beside the model's state."""

    is_started: bool = False
    """It was seen to start, and not to end since."""
    started_ms: float = 0.0
    """When it was seen to have started."""
    stop_begin_ms: float | None = None
    """When its clean stop began; None while there is none."""
    is_store_closed: bool = False
    """Its clean stop is over; its process may live on."""
    ha_master_address: str | None = None
    """Where the slave was told to find its master."""


@frozen
class Arrival:
    """Something that a proxy forwarded: a frame that ends at an offset, or a report of it."""

    t_ms: float
    offset: int
    size_bytes: int = 0


@frozen
class DeadConnection:
    """A connection that has ended at the slave's side, and that the master still counts."""

    ended_ms: float
    """When it ended, or when the link was healed afterwards."""
    link: Link
    """What the master knew of it at its end."""
    unread: tuple[int, ...] = ()
    """Reports that it may have read after that."""


@frozen
class Wire:
    """One replication link as its proxy saw it."""

    connection: int = 0
    """Number of its latest connection; 0 before the first."""
    ended_connection: int = 0
    """Number of the latest connection that has ended."""
    ends_to_see: int = 0
    """How often the proxy may still tell of that end: once for each side."""
    opened_ms: float = 0.0
    """When that connection was opened."""
    closed_ms: float | None = None
    """When the connection before it ended in this process life of the slave; None for none."""
    is_open: bool = False
    """The connection exists at the slave's end."""
    is_accepted: bool = False
    """The master has taken it, in the least explanation."""
    stalled_ms: float = 0.0
    """When the proxy began to hold back."""
    are_reports_stalled: bool = False
    """The proxy holds back what the slave sends."""
    are_frames_stalled: bool = False
    """The proxy holds back what the master sends."""
    healed_ms: float = -FOREVER_MS
    """When it stopped to do so, the last time."""
    frames_sent: int = 0
    """How many of the connection's frames with a body the master has sent."""
    next_frame_offset: int | None = None
    """Where the next frame that the proxy sees has to start; None before the positioning."""
    last_frame_ms: float | None = None
    """When the proxy has shown the latest frame on this connection."""
    arriving: tuple[Arrival, ...] = ()
    """Frames that were forwarded and that the slave has not taken."""
    reports_due: tuple[int, ...] = ()
    """Reports that the slave has sent and that the proxy has not shown yet."""
    last_report: int | None = None
    """The latest report that the proxy has shown on this connection."""
    first_report_ms: float = 0.0
    """When it has shown the first one."""
    last_report_ms: float = 0.0
    """When it has shown the latest one; before the first, when the connection was opened."""
    unread: tuple[Arrival, ...] = ()
    """Reports that were forwarded and that the master has not read."""
    reported_before: int = 0
    """``HAClient.currentReportedOffset`` as the last connection left it."""
    late_link: Link | None = None
    """The connection that has ended, as it was: what was sent on it may still come."""
    late_log: CommitLog | None = None
    """The master's log as it was then."""
    late_reports: tuple[int, ...] = ()
    """Reports that the slave has sent on it and that the proxy has not shown."""

    @property
    def is_stalled(self) -> bool:
        """The proxy holds back one direction or both."""
        return self.are_reports_stalled or self.are_frames_stalled


@frozen
class Explanation:
    """The least state that explains all events so far."""

    plan: Plan
    """What is known in advance."""
    cluster: Cluster
    """The least cluster."""
    next_put: int = 0
    """Number of the put that is appended next."""
    followed: tuple[int, ...] = ()
    """The puts that the messages of the cluster follow, in the order of their places."""
    process: int = 0
    """How many processes of the master have ended."""
    master: Broker = Broker()
    """The master beside it."""
    slaves: tuple[Broker, ...] = ()
    """The slaves beside it."""
    wires: tuple[Wire, ...] = ()
    """Their links."""
    now_ms: float = 0.0
    """When the present event was seen."""
    is_at_master: bool = False
    """The master's process saw it, whose clock is also that of the puts."""
    accepted: tuple[int, ...] = ()
    """The slaves behind the accepted connections that are not known to be dead, oldest first."""
    dead: tuple[DeadConnection, ...] = ()
    """Connections that have ended and that the master still counts, in the order of their ends."""
    has_read_report: bool = False
    """The master's process has read a report, so a notification may be left over (R-HA-21)."""
    sends: int = 0
    """How many messages were sent through the broker that no offset has shown since."""
    max_seen_ms: float = 0.0
    """When the master's max offset was seen last."""
    checksums: Mapping[tuple[int, ...], str] = field(factory=dict)
    """The CRC seen of each content: a range, and where in it each life of the log ends."""
    timers: Timers | None = None
    """The master's timers, if a ``set_config`` has changed them."""
    reads: ReadSide = field(factory=ReadSide)
    """What reads depend on, beside the model's state."""
    tables: TableSide = field(factory=TableSide)
    """What the brokers' tables may be."""
    fields_checked: int = 0
    """How many observed values were compared with the state."""

    @property
    def log(self) -> CommitLog:
        """The master's log."""
        return self.cluster.master.log

    def get_broker(self, node: int) -> Broker:
        """The broker beside the state, by slave number or MASTER."""
        return self.master if node == MASTER else self.slaves[node]

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

    def change_broker(self, node: int, **changes: Any) -> Explanation:
        """The same with one broker changed."""
        broker = evolve(self.get_broker(node), **changes)
        if node == MASTER:
            return evolve(self, master=broker)
        return evolve(self, slaves=replace_at(self.slaves, node, broker))

    def change_wire(self, slave: int, **changes: Any) -> Explanation:
        """The same with one link changed."""
        wire = evolve(self.wires[slave], **changes)
        return evolve(self, wires=replace_at(self.wires, slave, wire))

    def count_check(self, count: int = 1) -> Explanation:
        """The same with more observed values compared."""
        return evolve(self, fields_checked=self.fields_checked + count)


def begin_explanation(plan: Plan) -> Explanation:
    """Before the first event: no broker was seen yet, every log is empty."""
    return Explanation(
        plan=plan,
        cluster=plan.structure.make_initial(plan.parameters),
        slaves=(Broker(),) * len(plan.slaves),
        wires=(Wire(),) * len(plan.slaves),
    )


def name_instance(rule: str, *indexes: int) -> str:
    """For example ``append_message[3]``."""
    inside = ",".join(map(str, indexes))
    return f"{rule}[{inside}]" if indexes else rule


def fire(explanation: Explanation, rule: str, *indexes: int, **arguments: int) -> Explanation:
    """One step of the reference; raises Blocked with the conditions that do not hold."""
    name = name_instance(rule, *indexes)
    machine = compute_machine(explanation.plan.structure)
    if name in machine.instances:
        outcome = machine.step(explanation.cluster, Action(name, arguments))
    else:
        outcome = _explain_absence(explanation, Instance(_get_rule(explanation, rule), indexes))
    if outcome.is_refused:
        what = f"{name} would be needed, but {_describe(outcome.failed, explanation.cluster)}"
        raise Blocked(what, name, outcome.failed, explanation.cluster)
    return evolve(explanation, cluster=outcome.cluster)


def _get_rule(explanation: Explanation, name: str) -> Rule:
    rules = explanation.plan.structure.rules
    if name in rules:
        return rules[name]
    version = explanation.plan.version.name
    raise Blocked(f"{name} would be needed, but {version} has no such rule", name)


def _explain_absence(explanation: Explanation, instance: Instance) -> Outcome:
    """This structure never does it: the rule itself says which of its conditions is false."""
    failed, _ = probe(instance, explanation.cluster)
    return Outcome(explanation.cluster, tuple(failed))


def try_fire(explanation: Explanation, rule: str, *indexes: int, **arguments: int) -> Explanation:
    """One step of the reference if it is enabled, else nothing."""
    try:
        return fire(explanation, rule, *indexes, **arguments)
    except Blocked:
        return explanation


def list_candidates(cluster: Cluster, message: int | None) -> dict[str, tuple[str, ...]]:
    """What cannot happen in this state: failed conditions by rule instance.

    Of the rules about a message only those of one message.
    """
    machine = compute_machine(cluster.structure)
    failed = {
        name: tuple(probe(instance, cluster)[0])
        for name, instance in machine.instances.items()
        if "message" not in instance.rule.indexes or message in instance.indexes
    }
    return {name: conditions for name, conditions in failed.items() if conditions}


def check(explanation: Explanation, name: str, expected: object, observed: object) -> Explanation:
    """One observed value compared with what the state says; raises Blocked when they differ."""
    if expected != observed:
        raise Blocked(f"{name} is {observed!r}, but {expected!r} by the model")
    return explanation.count_check()


def get_timers(explanation: Explanation, slave: int | None = None) -> Timers:
    """The timers of the master, or of a slave and its master."""
    if slave is not None:
        return explanation.plan.slave_timers[slave]
    return explanation.timers or explanation.plan.timers


def check_timer(
    explanation: Explanation,
    timer: str,
    elapsed_ms: float,
    *,
    slave: int | None = None,
    extra_ms: float = 0.0,
) -> Explanation:
    """A duration compared with the range of its timer; ``extra_ms`` may come on top of it.

    What lies between a slave and the proxy of its link is measured less exactly than what lies
    between two events of one process.
    """
    grain_ms = GRAIN_MS if slave is None else JITTER_MS
    timer_range = TIMER_RANGES[timer](get_timers(explanation, slave))
    wider = evolve(timer_range, high_ms=timer_range.high_ms + extra_ms)
    violation = wider.explain_violation(elapsed_ms, grain_ms)
    if violation:
        raise Blocked(violation)
    return explanation.count_check()


def is_overdue(explanation: Explanation, timer: str, since_ms: float) -> bool:
    """What nothing holds back has happened by now."""
    latest = TIMER_RANGES[timer](get_timers(explanation)).high_ms
    return explanation.now_ms - since_ms > latest


def _describe(failed: tuple[str, ...], cluster: Cluster) -> str:
    master = cluster.master
    return (
        " and ".join(f"{name} does not hold" for name in failed)
        + f" (master: max_offset {master.log.max_offset}, push2_slave_max_offset "
        + f"{master.push2_slave_max_offset}, connection_count {master.connection_count})"
    )

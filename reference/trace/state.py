"""The least explanation of a recording so far: one state of the reference, and what surrounds it.

Almost everything hidden only moves forward: appends, flushes, accepted connections, bytes sent and
arrived, reports read. So one concrete cluster suffices, the least one that is consistent with the
events so far. An event demands more, and hidden rules fire until the demand is met; where the least
cluster is already beyond what an event shows, the recording is refused.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, field, frozen

from reference.machine import Action, Instance, Outcome, compute_machine, probe
from reference.rule import RULES, replace_at
from reference.state import Cluster, CommitLog, Link, initial_cluster
from reference.trace.clock import TIMER_RANGES
from reference.trace.plan import MASTER, Plan


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
    is_stopping: bool = False
    """Its clean stop has begun: the store takes nothing any more."""
    has_file: bool = False
    """Its log has a mapped file (R-CL-08: without one, the min offset is -1)."""
    dispatched_offset: int = 0
    """The highest dispatch cursor seen in this process life; it never moves back (R-RP-01)."""
    flushable: tuple[int, ...] = ()
    """The max offsets that its log had since it was flushed last: where a hidden flush may be."""


@frozen
class Arrival:
    """Something that a proxy forwarded: bytes up to an offset, or a report of it."""

    t_ms: float
    offset: int


@frozen
class DeadConnection:
    """A connection that has ended at the slave's side, and that the master still counts."""

    ended_ms: float
    """When it ended, or when the link was healed afterwards."""
    link: Link
    """What the master knew of it at its end."""


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
    is_open: bool = False
    """The connection exists at the slave's end."""
    is_accepted: bool = False
    """The master has taken it, in the least explanation."""
    is_stalled: bool = False
    """The proxy holds back one direction or both."""
    frames_sent: int = 0
    """How many of the connection's frames with a body the master has sent."""
    next_frame_offset: int | None = None
    """Where the next frame that the proxy sees has to start; None before the positioning."""
    has_carried_report: bool = False
    """This slave has ever reported, so that the master could answer with a frame."""
    arriving: tuple[Arrival, ...] = ()
    """Ends of frames that were forwarded and that the slave has not appended."""
    reports_due: tuple[int, ...] = ()
    """Reports that the slave has sent and that the proxy has not shown yet."""
    last_report: int | None = None
    """The latest report that the proxy has shown on this connection."""
    first_report_ms: float = 0.0
    """When it has shown the first one."""
    unread: tuple[Arrival, ...] = ()
    """Reports that were forwarded and that the master has not read."""
    reported_before: int = 0
    """``HAClient.currentReportedOffset`` as the last connection left it."""


@frozen
class Explanation:
    """The least state that explains all events so far."""

    plan: Plan
    """What is known in advance."""
    cluster: Cluster
    """The least cluster."""
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
    reports_seen: tuple[int, ...] = ()
    """All reports forwarded in this life of the master's process."""
    push2_before_append: int = 0
    """``push2SlaveMaxOffset`` when the master's max offset was seen last: lower than or equal to
    what it was at any append that came later."""
    push2_at_append: tuple[int, ...] = field(factory=tuple)
    """The same for each followed message, as of its append."""
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
        cluster=initial_cluster(plan.structure, plan.parameters),
        slaves=(Broker(),) * len(plan.slaves),
        wires=(Wire(),) * len(plan.slaves),
        push2_at_append=(0,) * len(plan.puts),
    )


def name_instance(rule: str, *indexes: int) -> str:
    """For example ``append_message[3]``."""
    return Instance(RULES[rule], indexes).name


def fire(explanation: Explanation, rule: str, *indexes: int, **arguments: int) -> Explanation:
    """One step of the reference; raises Blocked with the conditions that do not hold."""
    name = name_instance(rule, *indexes)
    machine = compute_machine(explanation.plan.structure)
    action = Action(name, arguments)
    if name in machine.instances:
        outcome = machine.step(explanation.cluster, action)
    else:
        # This structure never does it: the rule itself says which of its conditions is false.
        failed, _ = probe(Instance(RULES[rule], indexes), explanation.cluster)
        outcome = Outcome(explanation.cluster, tuple(failed))
    if outcome.is_refused:
        what = f"{name} would be needed, but {_describe(outcome.failed, explanation.cluster)}"
        raise Blocked(what, name, outcome.failed, explanation.cluster)
    return evolve(explanation, cluster=outcome.cluster)


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


def check_timer(
    explanation: Explanation, timer: str, elapsed_ms: float, extra_ms: float = 0.0
) -> Explanation:
    """A duration compared with the range of its timer; ``extra_ms`` may come on top of it."""
    timer_range = TIMER_RANGES[timer](explanation.plan.timers)
    wider = evolve(timer_range, high_ms=timer_range.high_ms + extra_ms)
    violation = wider.explain_violation(elapsed_ms)
    if violation:
        raise Blocked(violation)
    return explanation.count_check()


def is_overdue(explanation: Explanation, timer: str, since_ms: float) -> bool:
    """What nothing holds back has happened by now."""
    latest = TIMER_RANGES[timer](explanation.plan.timers).high_ms
    return explanation.now_ms - since_ms > latest


def _describe(failed: tuple[str, ...], cluster: Cluster) -> str:
    master = cluster.master
    return (
        " and ".join(f"{name} does not hold" for name in failed)
        + f" (master: max_offset {master.log.max_offset}, push2_slave_max_offset "
        + f"{master.push2_slave_max_offset}, connection_count {master.connection_count})"
    )

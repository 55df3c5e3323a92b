"""A slave that has its handshake, and takes its time to truncate its log.

In the model it truncates as it connects. A real one first waits for its dispatch: 5 s while that is
behind, and up to 90 s more for the end of its thread, which in 5.3.2 and 5.3.3 may be in a loop
(``DefaultMessageStore#truncateDirtyFiles``, ``ReputMessageService#shutdown``,
``ServiceThread#shutdown``; issue 9811). Until then it shows the log that it had, even when its
connection and its master are gone (``v533_controller_m2`` seq 142 to 183).
"""

from __future__ import annotations

from attrs import evolve

from brokers.recordings.ahead.boundaries import has_boundary
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.hidden.node import Node, Requirements
from brokers.recordings.kinds import END_KINDS
from brokers.recordings.log.asking import Asking
from brokers.recordings.log.limits.connections import UNSET
from brokers.recordings.log.notes import CountedConnection
from brokers.recordings.reading import Event
from brokers.recordings.roles.places import EXCHANGE
from reference.worlds.replication.changes.controller_mode.handshake import truncate_slave
from reference.worlds.replication.controller.epochs import compute_consistent_point, get_place

TRUNCATION_MS = 95_000.0
"""How long a slave takes at most before it truncates (``ServiceThread.JOIN_TIME`` and 5 s)."""


def may_give_up(asking: Asking, node: Node, slave: int) -> bool:
    """The slave cannot truncate: the lists agree nowhere, or within one of its records.

    It waits for up to two seconds and ends its connection (``AutoSwitchHAClient#doTruncate``,
    ``DefaultMessageStore#truncateFiles``, 5.3.3).
    """
    if asking.guide.get(node, f"links.{slave}.is_open"):
        return False
    cluster = asking.guide.machine.decode(node.state)
    point, log = compute_consistent_point(cluster, slave), cluster.slaves[slave].log
    is_within = point < log.max_offset and not has_boundary(asking.plan.tables, log, point)
    return point < 0 or is_within


def count_until_noticed(asking: Asking, node: Node, slave: int) -> Node:
    """The node in which the master counts a connection that the slave will give up.

    In the model none has come about; the master drops it like one that has ended.
    """
    state, place = list(node.state), asking.guide.places["master.connection_count"]
    state[place] += 1
    opened_ms = node.notes.seen.wires[slave].opened_ms
    notes = node.notes.spend(f"connect_slave[{slave}]").accept(slave, opened_ms)
    dead = CountedConnection(slave, known=(UNSET, UNSET, UNSET))
    return node.edit(state=tuple(state), notes=notes.bury(dead))


def is_given_up(node: Node, slave: int) -> bool:
    """The slave has its handshake, and cannot take it: it ends its connection.

    So it does with one that comes again once it has truncated (``AutoSwitchHAClient.HAClientReader
    #processReadResult``: State not matched).
    """
    wire, known = node.notes.seen.wires[slave], node.notes.seen.handshakes[slave]
    if known.connection != wire.connection:
        return False
    is_dead = any(e.slave == slave and e.known == (UNSET,) * 3 for e in node.notes.connections)
    return known.answered > 1 or (known.answered == 1 and is_dead)


def begin_truncation(asking: Asking, event: Event, node: Node, slave: int) -> Node:
    """The node behind the master's half of a handshake: a late slave has the log that it had."""
    if not asking.guide.get(node, f"links.{slave}.is_open"):
        return node  # The lists agree nowhere.
    connect = f"connect_slave[{slave}]"
    taken = (n for n in node.list_back() if n.action is not None and n.action.instance == connect)
    step = next(taken, None)
    point = asking.guide.get(node, f"links.{slave}.reported_offset")
    if step is None or step.parent is None or not is_late(asking.plan, event, slave, point):
        return node
    own = (f"slaves.{slave}.log.", f"epoch_files.{get_place(slave)}.")
    state = list(node.state)
    for path, place in asking.guide.places.items():
        if path.startswith(own):
            state[place] = step.parent.state[place]
    return node.edit(state=tuple(state), notes=node.notes.change_wire(slave, late_point=point))


def is_late(plan: Plan, handshake: Event, slave: int, point: int) -> bool:
    """What is seen next of the slave is a log that goes on beyond the point."""
    for event in plan.recording.events:
        if event.seq <= handshake.seq:
            continue
        if event.t_ms > handshake.t_ms + TRUNCATION_MS or is_of_client(plan, event, slave):
            return False
        if is_about(plan, event, slave):
            if event.kind in END_KINDS:
                return False
            if "max_offset" in event.data:
                return bool(event["max_offset"] > point)
    return False


def has_truncated(plan: Plan, event: Event, slave: int, point: int) -> bool:
    """The event shows that the slave's log ends at the point or below."""
    is_shown = "max_offset" in event.data and is_about(plan, event, slave)
    return is_of_client(plan, event, slave) or (is_shown and bool(event["max_offset"] <= point))


def is_of_client(plan: Plan, event: Event, slave: int) -> bool:
    """The slave reports or connects: its client has truncated before."""
    kinds = ("ha_report", "ha_link_open")
    return event.kind in kinds and plan.find_slave_of_link(event) == slave


def is_about(plan: Plan, event: Event, slave: int) -> bool:
    """An event is about a slave, or elects it."""
    return bool(plan.slaves[slave] == event.data.get(EXCHANGE, event.data.get("node")))


def finish_truncations(asking: Asking, event: Event, node: Node) -> Node:
    """The node in which slaves have truncated by now, as far as this event shows it."""
    for slave, wire in enumerate(node.notes.wires):
        point = wire.late_point
        if point >= 0 and has_truncated(asking.plan, event, slave, point):
            cluster = truncate_slave(asking.guide.machine.decode(node.state), slave, point)
            notes = node.notes.change_wire(slave, late_point=-1)
            node = node.edit(state=asking.guide.machine.encode(cluster), notes=notes)
    return node


def put_truncations_before(asking: Asking, event: Event, asked: Requirements) -> Requirements:
    """The same, asked behind the truncations that the event shows; its own changes come next."""
    own, other = asked.before, asked.otherwise

    def begin(node: Node) -> Node:
        ready = finish_truncations(asking, event, node)
        return ready if own is None else own(ready)

    ready = evolve(asked, before=begin)
    if other is None:
        return ready
    return evolve(ready, otherwise=lambda: put_truncations_before(asking, event, other()))

"""A slave that has its handshake, and takes its time to truncate its log, or gives it up.

In the model it truncates as it connects. A real one first waits for its dispatch: 5 s while that is
behind, and up to 90 s more for the end of its thread, which in 5.3.2 and 5.3.3 may be in a loop
(``DefaultMessageStore#truncateDirtyFiles``, ``ReputMessageService#shutdown``,
``ServiceThread#shutdown``; issue 9811). Until then it shows the log that it had, even when its
connection and its master are gone (``v533_controller_m2`` seq 142 to 183).
"""

from __future__ import annotations

from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.recordings.ahead.boundaries import has_boundary
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.kinds import END_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.roles.places import EXCHANGE
from reference.worlds.replication.changes.controller_mode.handshake import truncate_slave
from reference.worlds.replication.controller.epochs import compute_consistent_point, get_place

TRUNCATION_MS = 95_000.0
"""How long a slave takes at most before it truncates (``ServiceThread.JOIN_TIME`` and 5 s)."""


def may_give_up(scene: Scene, slave: int) -> bool:
    """The slave cannot truncate: the lists agree nowhere, or within one of its records.

    It waits for up to two seconds and ends its connection (``AutoSwitchHAClient#doTruncate``,
    ``DefaultMessageStore#truncateFiles``, 5.3.3).
    """
    cluster = scene.cluster
    point, log = compute_consistent_point(cluster, slave), cluster.slaves[slave].log
    is_within = point < log.max_offset and not has_boundary(scene.plan.tables, log, point)
    return point < 0 or is_within


def find_refused(scene: Scene) -> list[LinkQueues]:
    """Links whose connection is open at its proxy, and not in the model.

    Both lists agree nowhere, or the master has not answered yet.
    """
    return [
        link
        for link in scene.links
        if link.connection and not scene.get(f"links.{link.slave}.is_open")
    ]


def begin_truncation(scene: Scene, event: Event, link: LinkQueues) -> None:
    """Behind the master's half of a handshake, a late slave has the log that it had."""
    before, slave = link.before_connect, link.slave
    link.before_connect = None
    if before is None or not scene.get(f"links.{slave}.is_open"):
        return
    point = scene.get(f"links.{slave}.reported_offset")
    if not is_late(scene.plan, event, slave, point):
        return
    own = (f"slaves.{slave}.log.", f"epoch_files.{get_place(slave)}.")
    leaves = (leaf for leaf in scene.machine.places if leaf.startswith(own))
    scene.change({leaf: scene.get_of(before, leaf) for leaf in leaves})
    link.late_point = point


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


def finish_truncations(scene: Scene, event: Event) -> None:
    """Slaves have truncated by now, as far as this event shows it."""
    for link in scene.links:
        point = link.late_point
        if point >= 0 and has_truncated(scene.plan, event, link.slave, point):
            scene.show(scene.machine.encode(truncate_slave(scene.cluster, link.slave, point)))
            link.late_point = -1


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

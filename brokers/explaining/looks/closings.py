"""Why a replication connection ends: each end needs a reason."""

from __future__ import annotations

from bisect import bisect_left

from brokers.explaining.observing import EventObserver
from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.explaining.viewing import make_view
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.checks.closings import is_ending
from brokers.recordings.clock import JITTER_MS, has_slave_housekeeping
from brokers.recordings.reading import Event
from brokers.recordings.view import ShownBroker


def check_reason(observer: EventObserver, link: LinkQueues, event: Event) -> None:
    """A process ends, a frame or a report is refused, or one side has heard nothing for long.

    Raises Refusal.
    """
    scene, slave = observer.scene, link.slave
    if not scene.get(f"links.{slave}.is_open") or link.is_stalled or may_refuse(scene, link):
        return
    view = make_view(scene, event)
    if is_ending(view, slave) or has_hidden_stop(scene.plan, view.slaves[slave], slave, event.t_ms):
        return
    check_housekeeping(observer, link)


def may_refuse(scene: Scene, link: LinkQueues) -> bool:
    """A frame or a report has come that the other side does not take, or a thread has failed.

    A slave drops a frame as it stops, and refuses the next (v533_f_slave_restart_resume seq 92 to
    99). Under a controller it may refuse one for its epoch, and ends a connection that comes again
    once it has truncated (``AutoSwitchHAClient.HAClientReader#processReadResult``).
    """
    slave = link.slave
    if any(t_ms <= scene.now_ms for t_ms in link.traffic.failed_ms):
        return True
    if scene.try_step(f"refuse_frame[{slave}]", {}) is not None:
        return True
    if f"refuse_later_report[{slave}]" in scene.machine.instances and link.unread:
        return True
    is_stopping = scene.facts.slaves[slave].stop_begin_ms is not None
    if not (scene.sightings.has_controller or is_stopping):
        return False
    return link.taken < link.noted or is_given_up(scene, link)


def is_given_up(scene: Scene, link: LinkQueues) -> bool:
    """The slave has had a second answer to its handshake, or cannot take the first."""
    if not scene.sightings.has_controller:
        return False
    known = scene.facts.control.handshakes[link.slave]
    return known.connection == link.connection and known.answered > 1


def check_housekeeping(observer: EventObserver, link: LinkQueues) -> None:
    """One of the two ends has read nothing for its housekeeping interval (R-HA-08, R-HC-14)."""
    scene = observer.scene
    timers, now_ms = scene.get_link_timers(link.slave), scene.now_ms
    heard_ms = link.changed_ms if link.last_frame_ms is None else link.last_frame_ms
    silent_ms = now_ms - link.last_report_ms
    is_by_master = silent_ms >= timers.master_housekeeping_interval_ms - JITTER_MS
    is_by_slave = now_ms - heard_ms >= timers.ha_housekeeping_interval_ms - JITTER_MS
    if is_by_slave and has_slave_housekeeping(timers) and not is_by_master:
        observer.check_timer("slave_housekeeping", heard_ms, link)
    else:
        observer.check_timer("master_housekeeping", link.last_report_ms, link)


def has_hidden_stop(plan: Plan, broker: ShownBroker, slave: int, now_ms: float) -> bool:
    """The slave's next life ends in order, and nobody tells when that stop began."""
    turns = plan.links[slave].turns
    place = bisect_left(turns, now_ms, key=lambda event: event.t_ms)
    if place == len(turns) or broker.stop_begin_ms is not None:
        return False
    return turns[place].kind == "node_stop_clean" and "shutdown_ms" not in turns[place].data

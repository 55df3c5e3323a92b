"""When a slave connects again, by a clock that is exact."""

from __future__ import annotations

from brokers.explaining.observing import EventObserver
from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.recordings.clock import JITTER_MS, NOTICE_MS, RECONNECT_MS, SLACK_MS
from brokers.recordings.reading import Event
from reference.releases.timing_differences import FIRST_REPORT_AT_ONCE


def check_reconnect(observer: EventObserver, link: LinkQueues, event: Event) -> None:
    """A slave connects again at once, or 5 s after a connect that was refused (R-HC-12).

    Raises Refusal.
    """
    scene, ended_ms = observer.scene, link.changed_ms
    is_first = not link.latest or scene.facts.slaves[link.slave].started_ms > ended_ms
    if is_first or link.is_stalled or link.healed_ms > ended_ms:
        return  # The slave may have learnt of the end much later than the proxy.
    is_at_once = event.t_ms - ended_ms < (RECONNECT_MS + SLACK_MS) / 2
    is_at_once = is_at_once or is_reachable(scene, link, event.t_ms)
    observer.check_timer("reconnect_at_once" if is_at_once else "reconnect", ended_ms, link)


def is_reachable(scene: Scene, link: LinkQueues, now_ms: float) -> bool:
    """Nobody can have refused a connect since then: the master has run, and its proxy met it.

    From 5.0.0 on a slave waits all the same (``DefaultHAClient#closeMasterAndWait``). Behind a
    stall it may have closed earlier, and not have come through. A proxy that has cut the link may
    not listen for a while, and notes nothing then; the slave is seen to be without a connection
    (`empty_first_file` seq 42 to 75).
    """
    since_ms, ahead = link.changed_ms, scene.plan.links[link.slave]
    is_behind_stall = link.healed_ms > since_ms - SLACK_MS
    has_missed = any(since_ms + NOTICE_MS < t < now_ms for t in ahead.unconnected_ms)
    may_refuse = link.cut_ms >= since_ms - JITTER_MS and has_missed
    if scene.plan.version.has(FIRST_REPORT_AT_ONCE) or is_behind_stall or may_refuse:
        return False
    master = scene.facts.master
    has_run = master.is_started and master.stop_begin_ms is None
    is_met = not any(since_ms <= t_ms <= now_ms for t_ms in ahead.refusals_ms)
    return has_run and is_met and master.started_ms < since_ms - JITTER_MS

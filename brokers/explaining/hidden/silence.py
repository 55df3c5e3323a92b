"""What should have come over a link by now, and has not, by a clock that is exact.

Stamps of a busy machine may be late by any amount, so of its recordings nothing of this is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.clock import (
    CONNECT_MS,
    EXPIRY_BEGIN_MS,
    RECONNECT_MS,
    SELECT_MS,
    SLACK_MS,
    TIMER_RANGES,
    has_slave_housekeeping,
)
from brokers.recordings.kinds import WITH_HEARTBEATS
from brokers.recordings.settings import read_settings
from reference.releases.timing_differences import OWN_REPORT_TIMER

SEND_WAIT_MS = 100
"""How long ``HAConnection.WriteSocketService#run`` waits when it has nothing to send."""

LOOKED_MS = SEND_WAIT_MS + SLACK_MS
"""By when a write service has looked whether there is anything to send."""

CLEAN_MS = 10_000
"""``cleanResourceInterval`` where nothing is said of it."""

HOLDING = ("haFlowControlEnable", "transientStorePoolEnable")
"""With these a master sends less than it has: so much in a second (V-53), or what it has committed
(``MappedFile#getReadPosition``)."""


def check_silence(scene: Scene) -> None:
    """Nobody has been silent for too long. Raises Refusal."""
    check_expiry(scene)
    for link in scene.links:
        for text in (
            *list_by_master(scene, link),
            *list_by_slave(scene, link),
            *list_unseen(scene, link),
        ):
            raise Refusal(text)


def check_expiry(scene: Scene) -> None:
    """A full file that is kept for no time, at any hour, is deleted. Raises Refusal.

    ``DefaultMessageStore.CleanCommitLogService`` looks again and again; a file that is being sent
    is kept (MappedFile#hold).
    """
    settings = read_settings(scene.plan.recording.config["nodes"][scene.plan.master])
    hours = set(settings.get("deleteWhen", "").split(";"))
    is_any_hour = all(f"{hour:02d}" in hours for hour in range(24))
    if not is_any_hour or settings.get("fileReservedTime") != "0":
        return
    names = ("expire_master_file", "expire_uncopied_master_file")
    is_held = any(link.are_frames_stalled for link in scene.links)
    if is_held or all(scene.try_step(name, {}) is None for name in names):
        scene.expirable_ms = None
        return
    if scene.expirable_ms is None:
        scene.expirable_ms = scene.now_ms
    waited_ms = scene.now_ms - max(scene.expirable_ms, scene.facts.master.started_ms)
    clean_ms = float(settings.get("cleanResourceInterval", CLEAN_MS))
    if waited_ms > EXPIRY_BEGIN_MS + SLACK_MS + clean_ms:
        raise Refusal(f"the master has kept a file for {waited_ms:.0f} ms that is kept for no time")


def list_unseen(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """What a slave has made to report is noted soon."""
    is_free = link.is_open and not link.is_stalled and link.traffic.are_bytes_shown
    waited_ms = scene.now_ms - max(link.made_ms, link.healed_ms)
    is_over = link.ends_before(scene.now_ms + SLACK_MS)
    if link.made and is_free and not is_over and waited_ms > SLACK_MS:
        yield f"the slave has had {link.made[0]} to report for {waited_ms:.0f} ms"


def list_by_master(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """What the master of a link owes by now.

    Nothing where its proxy holds back what it does, and where the master stops.
    """
    if not is_open(scene, link) or scene.facts.master.stop_begin_ms is not None:
        return
    timers, now_ms = scene.get_link_timers(link.slave), scene.now_ms
    waited_ms = now_ms - max(link.sent_ms, link.frames_healed_ms)
    if is_sending_judged(scene) and link.sent > link.noted and waited_ms > LOOKED_MS:
        yield f"the master has had bytes to send for {waited_ms:.0f} ms"
    if is_sending_judged(scene) and are_heartbeats_shown(scene) and link.last_report is not None:
        last_ms = link.last_report_ms if link.last_frame_ms is None else link.last_frame_ms
        silent_ms = now_ms - max(last_ms, link.healed_ms)
        if silent_ms > timers.master_heartbeat_interval_ms + LOOKED_MS:
            yield f"the master has sent no frame, and no heartbeat, for {silent_ms:.0f} ms"
    silent_ms = now_ms - link.last_report_ms
    is_passed = now_ms - link.healed_ms > SLACK_MS and link.slave not in scene.plan.scripted
    if is_passed and silent_ms > TIMER_RANGES["master_housekeeping"](timers).high_ms:
        yield f"the master has read nothing for {silent_ms:.0f} ms, and has not closed"


def is_open(scene: Scene, link: LinkQueues) -> bool:
    """A connection has two ends that run, and its proxy lets everything pass."""
    is_there = scene.get(f"links.{link.slave}.is_open") and link.connection and link.is_open
    return bool(is_there and link.traffic.are_bytes_shown and not link.are_frames_stalled)


def is_sending_judged(scene: Scene) -> bool:
    """Nothing that the recording does not show holds frames back."""
    settings = read_settings(scene.plan.recording.config["nodes"][scene.plan.master])
    is_held = any(settings.get(key) == "true" for key in HOLDING)
    return not (is_held or MASTER in scene.plan.scripted or scene.sightings.has_controller)


def are_heartbeats_shown(scene: Scene) -> bool:
    """The recording leaves out no heartbeat."""
    return scene.plan.recording.config.data.get(WITH_HEARTBEATS) is True


def list_by_slave(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """What a slave that runs owes by now; nothing of one that somebody plays, or that stops."""
    slave, now_ms = link.slave, scene.now_ms
    broker = scene.facts.slaves[slave]
    if slave in scene.plan.scripted or not broker.is_started or broker.stop_begin_ms is not None:
        return
    if not scene.sightings.has_controller:
        yield from list_unconnected(scene, link)
    if not is_open(scene, link):
        return
    yield from list_unreported(scene, link)
    refused_ms = link.refused_frame_ms
    if refused_ms is not None and now_ms - max(refused_ms, link.healed_ms) > SLACK_MS:
        yield "the slave's log does not end where a frame has begun, and it is connected still"
    if not scene.sightings.has_controller:
        yield from list_unclosed(scene, link)


def list_unreported(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """A slave goes on to report: after its own last report (V-07), or after what it has read.

    Of the second kind nothing is asked where heartbeats are left out (R-HC-04).
    """
    is_by_own = scene.plan.version.has(OWN_REPORT_TIMER)
    timers = scene.plan.slave_timers[link.slave]
    if link.last_report is None and not link.are_reports_stalled:
        silent_ms = scene.now_ms - max(link.changed_ms, link.healed_ms)
        is_late = silent_ms > TIMER_RANGES["first_report"](timers).high_ms
        if is_late and link.last_frame_ms is None and not scene.sightings.has_controller:
            yield f"the slave is connected, but has reported nothing for {silent_ms:.0f} ms"
        return
    if link.are_reports_stalled:
        return
    if not (is_by_own or are_heartbeats_shown(scene)) or link.last_report_ms <= link.healed_ms:
        return
    heard_ms = 0.0 if is_by_own else link.last_frame_ms or 0.0
    silent_ms = scene.now_ms - max(link.last_report_ms, heard_ms)
    if silent_ms > TIMER_RANGES["own_report"](timers).high_ms:
        yield f"the slave is connected, but has reported nothing for {silent_ms:.0f} ms"


def list_unconnected(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """A slave that has lost its connection tries again, every five seconds at least (R-HC-01).

    One try takes as long at most (``RemotingUtil#connect``).
    """
    master = scene.facts.master
    is_there = master.is_started and master.stop_begin_ms is None
    is_lost = link.latest > 0 and not link.connection and link.traffic.is_shown
    if not (is_there and is_lost) or link.is_stalled:
        return
    begun_ms = max(master.started_ms, scene.facts.slaves[link.slave].started_ms)
    lost_ms = scene.now_ms - max(link.changed_ms, begun_ms, link.healed_ms)
    if lost_ms > RECONNECT_MS + CONNECT_MS + SLACK_MS:
        yield f"the slave has not connected for {lost_ms:.0f} ms, though its master runs"


def list_unclosed(scene: Scene, link: LinkQueues) -> Iterator[str]:
    """A slave closes a connection on which nothing has come for its housekeeping interval.

    ``HAClient#run`` looks after each of its selects (R-HC-14). Heartbeats that are left out come
    in between, and later releases look at something else (V-07).
    """
    timers = scene.plan.slave_timers[link.slave]
    is_asked = are_heartbeats_shown(scene) and has_slave_housekeeping(timers)
    if not is_asked or scene.plan.version.has(OWN_REPORT_TIMER):
        return
    silent_ms = scene.now_ms - max(link.changed_ms, link.last_frame_ms or 0.0, link.healed_ms)
    if silent_ms > timers.ha_housekeeping_interval_ms + SELECT_MS + SLACK_MS:
        yield f"the slave has read nothing for {silent_ms:.0f} ms, and is connected still"

"""Connections, and what goes over them."""

from __future__ import annotations

import math

from brokers.explaining.controlled.shown import check_frame, check_report_state
from brokers.explaining.hidden.silence import is_sending_judged
from brokers.explaining.looks.closings import check_reason
from brokers.explaining.looks.played import see_played_frame, see_played_report
from brokers.explaining.looks.reconnects import check_reconnect
from brokers.explaining.observing import EventObserver
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.traffic import CLOSING_SIDES, check_target_down
from brokers.recordings.clock import JITTER_MS, LATE_MS, SLACK_MS
from brokers.recordings.reading import Event
from reference.releases.timing_differences import OWN_REPORT_TIMER

SIDES = 2
"""Of a connection; its proxy sees the end of each."""


def see_connect(observer: EventObserver, event: Event) -> None:
    """A slave connects."""
    link = observer.get_link(event)
    if event["conn"] <= link.latest:
        raise Refusal(f"connection {event['conn']} of this link has begun before")
    check_end_noted(observer.scene, link)
    if link.is_open:
        close(observer, link)
    if link.refused_ms > -math.inf and not link.is_stalled:
        observer.check_timer("reconnect", link.refused_ms, link)
    elif observer.scene.is_clock_exact and link.slave not in observer.scene.plan.scripted:
        check_reconnect(observer, link, event)
    name = f"connect_slave[{link.slave}]"
    observer.scene.granted = {**observer.scene.granted, name: observer.scene.now_ms}
    link.begin(event["conn"], min(event.t_ms, observer.scene.now_ms))
    observer.advance.run(observer.scene)


def check_end_noted(scene: Scene, link: LinkQueues) -> None:
    """The connection before is seen to end, be it late; a recording may stop before that.

    Raises Refusal.
    """
    is_over = scene.now_ms > scene.plan.recording.end_ms - SLACK_MS
    if link.latest and link.latest not in link.traffic.noted_ends_ms and not is_over:
        raise Refusal(f"the end of connection {link.latest} of this link is not noted anywhere")


def see_close(observer: EventObserver, event: Event) -> None:
    """A connection ends."""
    link = observer.get_link(event)
    number = event.data.get("conn", link.connection)
    if event.kind == "ha_link_close":
        check_end(observer, link, event)
    if is_cut_by_proxy(event):
        link.cut_ms = observer.scene.now_ms
    if link.is_open and number == link.connection:
        if event.kind == "ha_link_close":
            check_reason(observer, link, event)
        close(observer, link)
    elif not link.is_open and number == link.latest:
        link.changed_ms = observer.scene.now_ms


def is_cut_by_proxy(event: Event) -> bool:
    """The proxy itself has ended the connection; it may have ceased to take others."""
    return event.kind.startswith("link_cut") or event.data.get("closed_by") == "proxy"


def check_end(observer: EventObserver, link: LinkQueues, event: Event) -> None:
    """Each end of a connection that has begun is seen once at each of its two sides."""
    number = event["conn"]
    if event["closed_by"] not in CLOSING_SIDES:
        raise Refusal(f"closed_by is {event['closed_by']!r}, which is no side of a connection")
    if not 0 < number <= link.latest or link.count_ends(number) == SIDES:
        raise Refusal(f"connection {number} of this link has not begun, or ended before")
    link.ends_seen = {**link.ends_seen, number: link.count_ends(number) + 1}


def close(observer: EventObserver, link: LinkQueues) -> None:
    """The connection of a link ends, if it is open."""
    scene = observer.scene
    connect = f"connect_slave[{link.slave}]"
    scene.granted = {name: t for name, t in scene.granted.items() if name != connect}
    if link.is_open and scene.get(f"links.{link.slave}.is_open"):
        scene.take_one_of([(f"cut_link[{link.slave}]", {})])
    link.begin(0, scene.now_ms)


def see_stall(observer: EventObserver, event: Event) -> None:
    """The proxy holds back what goes over a link, in one direction or both."""
    link = observer.get_link(event)
    link.are_reports_stalled = bool(event.data.get("slave_to_master", True))
    link.are_frames_stalled = bool(event.data.get("master_to_slave", True))
    link.stalled_ms = observer.scene.now_ms


def see_heal(observer: EventObserver, event: Event) -> None:
    """The proxy lets it pass."""
    link = observer.get_link(event)
    if link.are_frames_stalled:
        link.frames_healed_ms = observer.scene.now_ms
    link.are_reports_stalled = link.are_frames_stalled = False
    link.healed_ms = observer.scene.now_ms


def see_report(observer: EventObserver, event: Event) -> None:
    """A slave reports: what it has made, or the last one again."""
    link, offset, scene = observer.get_link(event), event["slave_offset"], observer.scene
    check_open(observer, link, event)
    check_not_held(link, event)
    if scene.sightings.has_controller:
        check_report_state(scene, link.slave, event)
    if not link.seen:
        link.end_at_request, link.frame_least_ms = scene.known_end, scene.now_ms
    link.seen += 1
    observer.checked += 1
    if link.slave in scene.plan.scripted:
        see_played_report(observer, link, offset)
    elif link.made and link.made[0] == offset:
        link.note_made(scene.now_ms)
    elif not scene.get(f"links.{link.slave}.is_open") and offset == link.last_report:
        pass  # The slave does not know yet that its master has ended.
    elif not scene.get(f"links.{link.slave}.has_reported"):
        see_first_report(observer, link, offset)
    elif offset == link.last_report:
        see_repeated_report(observer, link)
    else:
        made = ", ".join(map(str, link.made)) or "none"
        raise Refusal(f"{offset} is reported; reports made: {made}; last {link.last_report}")
    link.last_report, link.last_report_ms = offset, scene.now_ms
    if link.slave not in scene.plan.scripted:
        link.unread.append(offset)


def check_not_held(link: LinkQueues, event: Event) -> None:
    """Nothing passes in a direction that is stalled, but for what was under way when it began.

    Raises Refusal.
    """
    for stall in link.traffic.stalls:
        held_ms = event.t_ms - stall.begin_ms
        if event.kind in stall.kinds and held_ms > JITTER_MS and event.t_ms < stall.end_ms:
            raise Refusal(f"this direction of the link has been stalled for {held_ms:.1f} ms")


def check_open(observer: EventObserver, link: LinkQueues, event: Event) -> None:
    """Nothing goes over a connection that has not begun or has ended."""
    if not link.connection or event["conn"] != link.connection:
        raise Refusal(f"connection {event['conn']} of this link is not open")


def see_first_report(observer: EventObserver, link: LinkQueues, offset: int) -> None:
    """A slave says what it has, some time after it has connected."""
    scene = observer.scene
    has = scene.get(f"links.{link.slave}.reported_offset")
    if offset != has:
        raise Refusal(f"the first report is {offset}, not {has}")
    observer.check_timer("first_report", link.changed_ms, link)
    rules = ("report_offset", "report_offset_to_earlier_put")
    scene.take_one_of([(f"{rule}[{link.slave}]", {}) for rule in rules])


def see_repeated_report(observer: EventObserver, link: LinkQueues) -> None:
    """A slave that has nothing new to report says the same, some time later.

    Since its own last report, or in releases that read first, since the last frame; the two may
    cross on their way, though not time after time.
    """
    scene = observer.scene
    if link.is_stalled or scene.now_ms <= link.healed_ms + SLACK_MS:
        return
    since_ms, timer = link.last_frame_ms, "repeated_report"
    if since_ms is not None and scene.now_ms - since_ms <= LATE_MS and not link.has_crossed:
        since_ms, link.has_crossed = link.frame_before_ms, True
    else:
        link.has_crossed = False
    if scene.plan.version.has(OWN_REPORT_TIMER):
        since_ms, timer = link.last_report_ms, "own_report"
    elif link.last_frame_ms is None:
        since_ms, timer = link.last_report_ms, "report_to_silent_master"
    if since_ms is not None:
        observer.check_timer(timer, since_ms, link)


def see_refusal(observer: EventObserver, event: Event) -> None:
    """The proxy of a link cannot reach the master."""
    observer.hold(check_target_down, event)
    observer.get_link(event).refused_ms = observer.scene.now_ms


def see_frame(observer: EventObserver, event: Event) -> None:
    """The master sends bytes, or where it stands."""
    link = observer.get_link(event)
    check_open(observer, link, event)
    check_not_held(link, event)
    observer.checked += 1
    offset, size = event["master_offset"], event["body_bytes"]
    if MASTER in observer.scene.plan.scripted:
        see_played_frame(observer, link, event)
    elif size:
        see_bytes(observer, link, offset, size)
    elif observer.scene.get(f"links.{link.slave}.is_open"):
        see_heartbeat(observer, link, offset)
    elif link.last_end is not None and offset != link.last_end:
        # Its connection has ended, and what was sent over it comes late.
        raise Refusal(f"a heartbeat says {offset}; what was sent before it ends at {link.last_end}")
    if observer.scene.sightings.has_controller:
        check_frame(observer.scene, link.slave, event)
    link.frame_least_ms = find_sent_least_ms(observer.scene, link, event)
    link.frame_before_ms, link.last_frame_ms = link.last_frame_ms, observer.scene.now_ms


def find_sent_least_ms(scene: Scene, link: LinkQueues, event: Event) -> float:
    """When a frame was sent at the earliest: a stamp may be late by any amount.

    Not before the one ahead of it, nor before the put of its last byte was called; a heartbeat
    waits for its interval, unless it is a connection's first frame.
    """
    if event["body_bytes"]:
        last = event["master_offset"] + event["body_bytes"] - 1
        put = scene.plan.tables[scene.plan.lives[scene.process]].find_torn(last)
        return max(link.frame_least_ms, 0.0 if put is None else put.begin_ms)
    interval_ms = scene.get_link_timers(link.slave).master_heartbeat_interval_ms
    return link.frame_least_ms + (0 if link.last_frame_ms is None else interval_ms)


def see_bytes(observer: EventObserver, link: LinkQueues, offset: int, size: int) -> None:
    """A frame that was sent."""
    if link.sent <= link.noted:
        stands = observer.scene.get(f"links.{link.slave}.next_transfer_offset")
        end = observer.scene.get(observer.scene.master_end)
        where = f"the transfer stands at {stands}, and the log ends at {end}"
        raise Refusal(f"{size} B from {offset} cannot be sent: {where}")
    link.noted += 1
    link.sent_ms = observer.scene.now_ms
    link.last_end = offset + size
    observer.scene.known_end = max(observer.scene.known_end, offset + size)
    check_whole(observer.scene, link, offset, size)


def check_whole(scene: Scene, link: LinkQueues, begin: int, size: int) -> None:
    """A frame has all bytes that were there before its connection asked for any.

    ``DefaultMessageStore#getCommitLogData`` gives all that the file has, and the write service
    cuts it at haTransferBatchSize (R-HA-13). Only a clock that is exact can tell. Raises Refusal.
    """
    if not (scene.is_clock_exact and is_sending_judged(scene)):
        return
    parameters = scene.plan.parameters
    room = scene.file_bytes - begin % scene.file_bytes
    most = min(int(parameters.ha_transfer_batch_size_bytes), room)
    if size < min(most, link.end_at_request - begin):
        raise Refusal(f"a frame of {size} B from {begin} is not all that the master had")


def see_heartbeat(observer: EventObserver, link: LinkQueues, offset: int) -> None:
    """A frame without bytes stands where the last one ended.

    Under a controller a master without a file beats from -1 until it knows where it sends from.
    """
    scene = observer.scene
    start = scene.get(f"links.{link.slave}.transfer_start_offset")
    stands = start if link.last_end is None else link.last_end
    has_none = scene.sightings.has_controller and link.last_end is None
    if offset != stands and not (has_none and offset < 0):
        raise Refusal(f"a heartbeat stands at {offset}, not {stands}")
    if link.last_frame_ms is not None and not link.are_frames_stalled:
        observer.check_timer("heartbeat", link.frame_least_ms, link)
    record = f"record_epoch_of_heartbeat[{link.slave}]"
    after = scene.try_step(record, {}) if offset >= 0 else None
    if after is not None:
        scene.take(record, {}, after)

"""Puts that are answered, and brokers that are asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from brokers.explaining.checking import check_put_turn
from brokers.explaining.observing import EventObserver
from brokers.explaining.refusal import Nearest, Refusal
from brokers.explaining.scene import Scene
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import (
    GRAIN_MS,
    SLACK_MS,
    TRANSFER_WAIT_MS,
    TRANSFER_WAITS,
    compute_longest_wait_ms,
    compute_time_out_ms,
)
from brokers.recordings.reading import Event
from reference.worlds.replication.state import ANSWERED

ANSWERING: Mapping[str, Sequence[str]] = {
    "PUT_OK": ("answer_slave_wait", "request_slave_wait", "skip_slave_wait", "answer_disk_wait"),
    "FLUSH_SLAVE_TIMEOUT": ("time_out_slave_wait", "give_up_slave_wait", "request_slave_wait"),
    "SLAVE_NOT_AVAILABLE": ("refuse_slave_wait",),
    "FLUSH_DISK_TIMEOUT": ("time_out_disk_wait", "give_up_disk_wait"),
}
"""By status: the rules by which a put comes to be answered so."""


def see_answer(observer: EventObserver, event: Event) -> None:
    """A put that was appended is answered as its wait has ended."""
    if event.seq in observer.scene.plan.blank_by_seq:
        see_blank(observer, observer.scene.plan.blank_by_seq[event.seq])
    if event.data.get("append_status") != "PUT_OK" or event["node"] != observer.scene.plan.master:
        return
    scene = observer.scene
    slot = scene.puts.find_slot(event.seq)
    if slot is None:
        end = scene.get(scene.master_end)
        raise Refusal(f"no message is put at {event['wrote_offset']}: the log ends at {end}")
    if scene.get(f"messages.{slot}.phase") != ANSWERED:
        nearest = find_nearest(scene, slot, event["put_status"])
        raise Refusal(f"the put is not answered {event['put_status']} yet", nearest)
    check_duration(observer, event, slot)


def find_nearest(scene: Scene, slot: int, status: str) -> Nearest | None:
    """The step by which the put would come nearer to this answer; None: it is possible."""
    near = []
    for rule in ANSWERING.get(status, ()):
        instance = scene.machine.instances.get(f"{rule}[{slot}]")
        if instance is not None and (failed := instance.list_failed(scene.state)):
            near.append(Nearest(f"{rule}[{slot}]", tuple(failed), slot))
    return min(near, key=lambda each: len(each.conditions), default=None)


def see_blank(observer: EventObserver, blank: RecordedPut) -> None:
    """A put has filled up a file and found no next one (R-CL-04)."""
    observer.compare("master.trailing_blank_offset", blank.start_offset)
    observer.compare(observer.scene.master_end, blank.end_offset)


def see_call(observer: EventObserver, event: Event) -> None:
    """No answer takes longer than its waits."""
    if event.kind != "put" or event.data.get("append_status") != "PUT_OK":
        return
    timers, longest_ms = observer.scene.timers, SLACK_MS
    if event["wait_store_ok"]:
        longest_ms += compute_longest_wait_ms(timers) + timers.sync_flush_timeout_ms
    if event["duration_ms"] > longest_ms:
        took_ms = event["duration_ms"]
        raise Refusal(f"the put took {took_ms} ms, but it takes {longest_ms:g} ms at most")


def check_duration(observer: EventObserver, event: Event, slot: int) -> None:
    """A put was answered in its turn, and no time-out comes early."""
    timers, took_ms = observer.scene.timers, event["duration_ms"]
    observer.checked += 1
    put = observer.scene.puts.slots[slot]
    observer.hold(lambda view, _: check_put_turn(view, put), event)
    if event["put_status"] != "FLUSH_SLAVE_TIMEOUT":
        return
    covered_ms = observer.scene.puts.covered_ms.get(event.seq, math.inf)
    if observer.scene.now_ms - covered_ms > TRANSFER_WAIT_MS + SLACK_MS:
        raise Refusal("FLUSH_SLAVE_TIMEOUT came long after a slave had reported the put")
    woken = observer.scene.get(f"messages.{slot}.wake_ups")
    has_waited = observer.scene.puts.waits.get(event.seq, 0) > 0 or woken >= TRANSFER_WAITS
    if not has_waited and took_ms + GRAIN_MS < compute_time_out_ms(timers):
        raise Refusal(f"FLUSH_SLAVE_TIMEOUT came after {took_ms} ms")

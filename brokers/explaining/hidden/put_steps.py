"""Steps of puts: where each goes in the log is recorded, how it was answered, and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brokers.explaining.group_state import Arguments
from brokers.explaining.hidden.steps import HiddenStep, Knowledge, is_below_caps
from brokers.explaining.scene import Scene
from brokers.explaining.seen.pins import UNBOUNDED
from brokers.explaining.seen.puts import SAME_MS
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES, RecordedPut
from brokers.recordings.clock import (
    CREATE_FILE_MS,
    GRAIN_MS,
    JITTER_MS,
    TRANSFER_WAIT_MS,
    UNDER_WAY_MS,
    compute_longest_put_ms,
)
from reference.language.compiled import Ranges, State
from reference.store.records import END_FILE_MIN_BLANK_LENGTH
from reference.worlds.replication.mapped_files import is_flush_file_there
from reference.worlds.replication.put import DISK_FLUSHES_MAX
from reference.worlds.replication.state import ANSWERED, STATUS_NAMES, WAITS_FOR_SLAVE

SLAVE_FAILURES = frozenset({"give_up_slave_wait", "time_out_slave_wait"})
"""Rules by which a put waits for a slave in vain."""

FAILED_STATUSES = frozenset({"FLUSH_SLAVE_TIMEOUT", "FLUSH_DISK_TIMEOUT"})
"""How such a put is answered; since the two waits run at once the disk may fail, too."""


REFUSED_STATUSES = frozenset({"SLAVE_NOT_AVAILABLE", "FLUSH_DISK_TIMEOUT"})
"""How a put is answered for which there was no slave to wait for."""


def is_blank_wanted(scene: Scene, step: HiddenStep) -> bool:
    """A file is filled up where the next put lies beyond it, or has left the blank alone."""
    end, size = scene.get(scene.master_end), scene.file_bytes
    blanks = scene.plan.blank_by_seq.values()
    if any(b.start_offset == end and scene.puts.is_called(b, scene.now_ms) for b in blanks):
        return True
    if find_unseen_end(scene) // size > end // size:
        return True
    called = scene.puts.find_next_called(scene.now_ms)
    return called is not None and called.start_offset // size > end // size


def choose_message(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """The next put that has been called, if its place is the end of the log."""
    put = scene.puts.find_next_called(scene.now_ms)
    is_its_place = step.index == len(scene.puts.slots)
    if put is None or not is_its_place or put.start_offset != scene.get(scene.master_end):
        return []
    waits = int(put.waits_for_store)
    return [{"size_bytes": put.size_bytes, "waits_for_store": waits}]


def choose_other_message(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """Bytes of puts that the recording leaves out, up to where the log is seen to end next."""
    low, high = ranges[0]
    end, size = scene.get(scene.master_end), scene.file_bytes
    bounds = [high, find_unseen_end(scene) - end, size - end % size - END_FILE_MIN_BLANK_LENGTH]
    # A flush ends where the log ended, so the log has ended wherever one is seen to.
    flushed = scene.pins.compute_cap("master.log.flushed_offset")
    bounds += [flushed - end] if flushed > end else []
    most = int(min(bounds))
    return [{step.instance.arguments[0]: most}] if most >= max(low, MESSAGE_HEAD_BYTES) else []


def find_unseen_end(scene: Scene) -> float:
    """Up to where puts that the recording leaves out may have written; 0 for none.

    To the next put, the next sight of the log's end or of a slave's, or that of the next frame.
    """
    put, plan = scene.puts.find_next(), scene.plan
    is_sampled = put is not None and put.process in plan.sampled_processes
    is_gap = put is None or (
        put.is_behind_gap and (not rolls_file(scene, put) or has_short_frame(scene))
    )
    is_left_out = is_gap and (bool(plan.own_writes) or has_pending_put(scene, put))
    if is_sampled or is_left_out or plan.are_puts_hidden:
        most = UNBOUNDED
    elif put is None:
        most = plan.sampled_tails.get(scene.process, 0)
    else:
        most = 0
    least = find_shown_end(scene, put) if most else UNBOUNDED
    return least if least <= most and least < UNBOUNDED else 0


def find_shown_end(scene: Scene, put: RecordedPut | None) -> float:
    """Where a message ends that comes next and has no line, before a put or behind all of them."""
    bounds = [scene.pins.compute_cap(scene.master_end)]
    bounds += [] if put is None else [put.start_offset]
    hidden = (link.slave for link in scene.links if not link.traffic.are_bytes_shown)
    ends = (scene.pins.compute_cap(scene.get_slave_end(slave)) for slave in hidden)
    stands = scene.get(scene.master_end)
    bounds += [end for end in ends if end > stands]
    bounds += [begin for begin in list_last_files(scene) if begin > stands]
    sent = list(list_sent_ends(scene))
    bounds += [end for end, is_sure in sent if is_sure]
    is_shown = min(bounds) < UNBOUNDED
    return min(bounds if is_shown else (end for end, _ in sent), default=UNBOUNDED)


def list_last_files(scene: Scene) -> Iterator[int]:
    """Where the file begins that the log had come to when a slave without bytes asked for them.

    Such a slave is sent the last file (R-HA-11), which is shown before any byte of it is.
    """
    for link in scene.links:
        begin = link.traffic.begins.get(link.connection)
        reports = link.traffic.reports.get(link.connection)
        if begin is not None and reports and reports[0] == 0 and begin % scene.file_bytes == 0:
            yield begin


def has_short_frame(scene: Scene) -> bool:
    """A frame ends behind the log, within its file, and is no whole batch.

    So a message ends there, and what is behind the log is not the blank before the next file.
    """
    stands = scene.get(scene.master_end)
    file_end = stands - stands % scene.file_bytes + scene.file_bytes
    return any(is_sure and end < file_end for end, is_sure in list_sent_ends(scene))


def has_pending_put(scene: Scene, following: RecordedPut | None) -> bool:
    """The master may have ended, or the recording, before a put was answered that it took."""
    waits = bool(scene.get("master.is_sync")) and bool(scene.plan.slaves)
    longest_ms = compute_longest_put_ms(scene.timers, waits_for_slave=waits)
    process = scene.plan.processes[scene.process]
    if following is not None:
        return process.may_be_pending(following.start_offset, scene.now_ms, longest_ms)
    ends = (end if is_sure else UNBOUNDED for end, is_sure in list_sent_ends(scene))
    least = min(ends, default=scene.get(scene.master_end) + 1)
    # A put that has filled up a file waits for the next one, whatever is reported of this one.
    has_filled = least % scene.file_bytes == 0
    waited_ms = process.end_ms - scene.now_ms
    is_without_file = has_filled and waited_ms <= CREATE_FILE_MS + UNDER_WAY_MS
    return is_without_file or process.may_be_pending(least, scene.now_ms, longest_ms)


def list_sent_ends(scene: Scene) -> Iterator[tuple[int, bool]]:
    """By link: up to where the bytes of a message are sent next, and whether it ends there.

    A whole batch may end inside a message, whose other bytes the next frames have; the last one of
    a recording may be followed by others.
    """
    stands, file_bytes = scene.get(scene.master_end), scene.file_bytes
    batch_bytes = scene.get("parameters.ha_transfer_batch_size_bytes")
    for link in scene.links:
        end, is_sure = 0, False
        for frame in link.list_left_frames():
            end = frame.offset + frame.size_bytes
            is_sure = frame.size_bytes < batch_bytes or end % file_bytes == 0
            if end > stands and is_sure:
                break
        if end > stands:
            yield end, is_sure


def rolls_file(scene: Scene, put: RecordedPut) -> bool:
    """A put that is first in its file has filled up the one in which the log ends."""
    end, size = scene.get(scene.master_end), scene.file_bytes
    return put.start_offset % size == 0 and 0 < put.start_offset - end < size


def is_message_followed(scene: Scene, step: HiddenStep) -> bool:
    """It is a message of a put that is not answered."""
    return step.index < len(scene.puts.slots)


def is_wait_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """A put's wait goes on as it was recorded to end."""
    put = scene.puts.slots[step.index]
    if step.rule == "answer_slave_wait":
        scene.puts.covered_ms.setdefault(put.seq, scene.now_ms)
    took_ms = min(put.duration_ms, scene.now_ms + JITTER_MS - put.begin_ms)
    if not is_wait_in_time(scene, step, put, took_ms) or contradicts(step.rule, put.status):
        return False
    if step.rule == "flush_for_put":
        return is_below_caps(scene, step, after) and not has_early_failure(scene, step.index)
    phase = scene.get_of(after, f"messages.{step.index}.phase")
    status = STATUS_NAMES[scene.get_of(after, f"messages.{step.index}.status")]
    if step.rule in {"time_out_disk_wait", "give_up_disk_wait"}:
        may_change = put.status in {"FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE"}
        if status != put.status and not may_change:
            return False
    return phase != ANSWERED or status == put.status


def contradicts(rule: str, status: str) -> bool:
    """No put that is answered so comes to its answer by this rule."""
    if rule == "answer_slave_wait":
        return status == "FLUSH_SLAVE_TIMEOUT"
    if rule in SLAVE_FAILURES:
        return status not in FAILED_STATUSES
    return rule == "refuse_slave_wait" and status not in REFUSED_STATUSES


def has_early_failure(scene: Scene, before: int) -> bool:
    """A put before this place of a message has both its flushes to come, and fails then.

    The second one is not checked (R-FL-04), so nobody else flushes its bytes in between.
    """
    return any(
        fails_early(scene, put) and scene.get(f"messages.{slot}.disk_flushes") < DISK_FLUSHES_MAX
        for slot, put in enumerate(scene.puts.slots[:before])
    )


def fails_early(scene: Scene, put: RecordedPut) -> bool:
    """The wait for the disk has failed before its time."""
    is_early = put.duration_ms < scene.timers.sync_flush_timeout_ms
    return is_early and put.status == "FLUSH_DISK_TIMEOUT"


def is_wait_in_time(scene: Scene, step: HiddenStep, put: RecordedPut, took_ms: float) -> bool:
    """No wait ends before its time, and none goes on that is known to have ended."""
    timers = scene.timers
    if step.rule == "time_out_slave_wait":
        return took_ms + GRAIN_MS >= timers.slave_wait_ms
    if step.rule == "time_out_disk_wait" and is_flush_file_there(scene.cluster.master.log):
        return took_ms + GRAIN_MS >= timers.sync_flush_timeout_ms
    if step.rule == "answer_disk_wait":
        return put.status != "FLUSH_DISK_TIMEOUT"
    if step.rule == "request_slave_wait":
        return put.status != "SLAVE_NOT_AVAILABLE" and is_turn(scene, put)
    if step.rule == "wait_one_second":
        waited = scene.puts.waits.get(put.seq, 0)
        return put.status == "FLUSH_SLAVE_TIMEOUT" and waited <= took_ms // TRANSFER_WAIT_MS
    return True


def is_turn(scene: Scene, put: RecordedPut) -> bool:
    """No put that is answered before this one has still to enter the line of the group transfer.

    A put enters it after it has left the lock under which it was appended, so the order of the line
    need not be that of the log (CommitLog#handleHA; GroupTransferService serves one at a time).
    """
    waiting = [
        other
        for slot, other in enumerate(scene.puts.slots)
        if scene.get(f"messages.{slot}.phase") < WAITS_FOR_SLAVE
    ]
    if (called := scene.puts.find_next_called(scene.now_ms)) is not None:
        waiting.append(called)
    return not any(
        other.waits_for_store
        and other.status != "SLAVE_NOT_AVAILABLE"
        and other.begin_ms + other.duration_ms + SAME_MS < put.begin_ms + put.duration_ms
        for other in waiting
    )


def note_appended(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """The next put has its place in the log."""
    scene.puts.append_next()


def note_waited(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """The group transfer has waited for a put once more."""
    seq = scene.puts.slots[step.index].seq
    scene.puts.waits[seq] = scene.puts.waits.get(seq, 0) + 1


WAITS = (
    "flush_for_put",
    "answer_disk_wait",
    "give_up_disk_wait",
    "time_out_disk_wait",
    "skip_slave_wait",
    "refuse_slave_wait",
    "request_slave_wait",
    "answer_slave_wait",
    "give_up_slave_wait",
    "time_out_slave_wait",
    "wait_one_second",
)
"""Rules about the wait of a put."""

PUT_STEPS = Knowledge(
    wanted={"fill_file": is_blank_wanted, **dict.fromkeys(WAITS, is_message_followed)},
    choose={"append_message": choose_message, "append_other_message": choose_other_message},
    allowed=dict.fromkeys(WAITS, is_wait_allowed),
    note={"append_message": note_appended, "wait_one_second": note_waited},
)
"""What is known about the steps of puts."""

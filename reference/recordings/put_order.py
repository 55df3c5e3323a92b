"""Puts are appended in the order of the places that they got in the log, each after its call.

The model follows a fixed number of messages. To follow one is a choice of the specification, not a
step of a broker; so a message is followed from its append to the line of its put, and the
place is used again for another one afterwards.
"""

from __future__ import annotations

from attrs import evolve

from reference.recordings.clock import JITTER_MS, SKEW_MS, compute_longest_put_ms
from reference.recordings.hidden_traffic import position_before_rollover
from reference.recordings.log_demands import flush_to
from reference.recordings.plan import MASTER, find_next, has_within
from reference.recordings.puts_ahead import Put
from reference.recordings.state import Blocked, Explanation, check, fire, get_timers, try_fire
from reference.worlds.replication.commit_log import compute_room_bytes
from reference.worlds.replication.mapped_files import compute_last_file_end
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.put import has_disk_wait, has_slave_wait
from reference.worlds.replication.state import (
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE_CHECK,
    CommitLog,
    Message,
)

MESSAGE_HEAD_BYTES = 91
"""What a stored message has beside body, topic and properties (CommitLog#calMsgLength)."""


OTHERS_MAX = 1000
"""As many messages at most are taken to lie between two things that a recording shows."""


def find_next_put(explanation: Explanation) -> Put | None:
    """The put that this process of the master appends next."""
    puts = explanation.plan.puts
    if explanation.next_put < len(puts):
        put = puts[explanation.next_put]
        if put.process == explanation.process:
            return put
    return None


def find_put_before(explanation: Explanation) -> Put | None:
    """The recorded put that was appended last, in this life of the log."""
    puts, place = explanation.plan.puts, explanation.next_put
    life = explanation.cluster.master.ghost_life
    return puts[place - 1] if place and puts[place - 1].life == life else None


def find_slot(explanation: Explanation, put: Put) -> int | None:
    """The message that follows a put; None before its append."""
    if put.number in explanation.followed:
        return explanation.followed.index(put.number)
    return None


def get_message(explanation: Explanation, put: Put) -> Message:
    """The followed message of a put that was appended."""
    return explanation.cluster.messages[explanation.followed.index(put.number)]


def find_free_slot(explanation: Explanation) -> int:
    """The message that follows no put yet."""
    slot = len(explanation.followed)
    if slot == len(explanation.cluster.messages):
        raise Blocked(f"more than {slot} puts are under way at a time, by their own words fewer")
    return slot


def unfollow(explanation: Explanation, put: Put) -> Explanation:
    """The put's line is explained; its message's place is free for another one."""
    slot = explanation.followed.index(put.number)
    messages = explanation.cluster.messages
    left = (*messages[:slot], *messages[slot + 1 :], Message())
    followed = (*explanation.followed[:slot], *explanation.followed[slot + 1 :])
    cluster = evolve(explanation.cluster, messages=left)
    return evolve(explanation, cluster=cluster, followed=followed)


def unfollow_all(explanation: Explanation) -> Explanation:
    """The master's process has ended: no put of it has a line to come."""
    messages = (Message(),) * len(explanation.cluster.messages)
    next_put = explanation.next_put
    puts = explanation.plan.puts
    while next_put < len(puts) and puts[next_put].process <= explanation.process:
        next_put += 1
    return evolve(
        explanation,
        cluster=evolve(explanation.cluster, messages=messages),
        followed=(),
        next_put=next_put,
    )


def append_next_put(explanation: Explanation) -> Explanation:
    """The next put gets its place in the master's log; it must have been called by now."""
    put = _get_called_put(explanation)
    if put.is_behind_gap:
        explanation = append_others(explanation, put.start_offset, is_put_next=True)
    parameters = explanation.cluster.parameters
    start = compute_message_start(explanation.log, put.size_bytes, parameters)
    explanation = check(
        explanation, f"wrote_offset of the put of seq {put.seq}", start, put.start_offset
    )
    if start != explanation.log.max_offset:
        explanation = fill_file(explanation, put.begin_ms)
    slot = find_free_slot(explanation)
    waits = int(put.waits_for_store)
    appended = fire(
        explanation, "append_message", slot, size_bytes=put.size_bytes, waits_for_store=waits
    )
    followed = (*appended.followed, put.number)
    appended = evolve(appended, followed=followed, next_put=put.number + 1)
    return request_in_order(finish_disk_at_once(appended, put))


def _get_called_put(explanation: Explanation) -> Put:
    """The put that is next in order, if its producer has called by now."""
    put = find_next_put(explanation)
    if put is None:
        raise Blocked(
            f"the master's log ends at {explanation.log.max_offset}, and no recorded put is left "
            "that could make it longer"
        )
    skew_ms = 0.0 if explanation.is_at_master else SKEW_MS
    if put.begin_ms > explanation.now_ms + skew_ms:
        raise Blocked(
            f"the bytes from {explanation.log.max_offset} on belong to the put of seq {put.seq}, "
            f"which was called only at {put.begin_ms} ms",
            f"append_message[{len(explanation.followed)}]",
        )
    return put


def request_in_order(explanation: Explanation) -> Explanation:
    """Puts that are ready to ask for a slave do so, in the order in which they are served.

    Requests are served one by one (R-HA-22), in the order in which they were made. That is not
    always the order in the log, for a put asks after it has left the lock: in
    big_message_acks_slow_link the put of seq 443 lies behind that of seq 454, and was served first.
    """
    puts = explanation.plan.puts
    for number in sorted(explanation.followed, key=lambda number: puts[number].end_ms):
        slot = explanation.followed.index(number)
        message = explanation.cluster.messages[slot]
        if message.phase != WAITS_FOR_SLAVE_CHECK or not has_slave_wait(
            explanation.cluster, message
        ):
            continue
        if puts[number].status == "SLAVE_NOT_AVAILABLE":
            explanation = try_fire(explanation, "refuse_slave_wait", slot)
        elif not _is_overtaken(explanation, puts[number]):
            explanation = try_fire(explanation, "request_slave_wait", slot)
    return explanation


def _is_overtaken(explanation: Explanation, put: Put) -> bool:
    """A put behind it in the log, called at about the same time, will be served before it."""
    puts, ahead = explanation.plan.puts, len(explanation.cluster.messages)
    return any(
        other.process == put.process
        and other.waits_for_store
        and other.status in ("PUT_OK", "FLUSH_SLAVE_TIMEOUT")
        and other.end_ms < put.end_ms
        and other.begin_ms < put.begin_ms + JITTER_MS
        for other in puts[explanation.next_put : explanation.next_put + ahead]
    )


def append_others(
    explanation: Explanation, offset: int, *, is_put_next: bool = False
) -> Explanation:
    """Messages that the recording leaves out make the log end here, or a recorded put begin here.

    Nobody can tell how many they are: they are taken to be as large as they may be.
    """
    parameters = explanation.cluster.parameters
    if is_put_next and 0 < offset - explanation.log.max_offset < MESSAGE_HEAD_BYTES:
        return explanation  # Too little for a message: the put itself has rolled over.
    before = find_put_before(explanation)
    if not is_put_next and explanation.log.max_offset == (before.end_offset if before else 0):
        offset = max(offset, explanation.log.max_offset + MESSAGE_HEAD_BYTES)
    if offset - explanation.log.max_offset > OTHERS_MAX * parameters.message_size_max_bytes:
        raise Blocked(f"the log cannot have grown to {offset} by puts that were not recorded")
    while explanation.log.max_offset < offset:
        log = explanation.log
        file_end = compute_last_file_end(log, parameters)
        end = min(offset, file_end - parameters.end_file_min_blank_bytes)
        if is_put_next and offset == file_end and log.max_offset == end:
            break  # The put itself rolls over: it finds no room.
        if end <= log.max_offset:
            end = max(offset, file_end + 1)
        start = log.max_offset if end < file_end else file_end
        size = min(end - start, parameters.message_size_max_bytes)
        if start != log.max_offset:
            explanation = fill_file(explanation, explanation.now_ms)
        explanation = fire(explanation, "append_other_message", size_bytes=size)
    return explanation


def may_append_others(explanation: Explanation, offset: int) -> bool:
    """Behind the last recorded put there may be others up to here, or none was recorded."""
    plan = explanation.plan
    if plan.are_puts_hidden:
        since_ms = explanation.max_seen_ms
        return bool(explanation.sends) or has_within(
            plan.own_writes_ms, since_ms, explanation.now_ms
        )
    if find_next_put(explanation) is not None:
        return False
    if explanation.process in plan.sampled_processes:
        return True
    is_sync = explanation.cluster.master.is_sync and bool(explanation.slaves)
    longest_ms = compute_longest_put_ms(get_timers(explanation), waits_for_slave=is_sync)
    process = plan.processes[explanation.process]
    return process.may_be_pending(offset, explanation.now_ms, longest_ms)


def demand_max_at_least(explanation: Explanation, offset: int) -> Explanation:
    """The master's log goes so far at least."""
    while explanation.log.max_offset < offset:
        if may_append_others(explanation, offset):
            return append_others(explanation, offset)
        put = find_next_put(explanation)
        is_before = put is not None and put.is_behind_gap and offset <= put.start_offset
        if put is not None and is_before and _leaves_room(explanation, put, offset):
            return append_others(explanation, offset)
        if put is not None and _rolls_over_at(explanation, put, offset):
            explanation = fill_file(explanation, _get_called_put(explanation).begin_ms)
        else:
            explanation = append_next_put(explanation)
    return explanation


def _leaves_room(explanation: Explanation, put: Put, offset: int) -> bool:
    """The put does not follow at once: other messages lie in between."""
    parameters = explanation.cluster.parameters
    start = compute_message_start(explanation.log, put.size_bytes, parameters)
    return start != put.start_offset


def demand_max(explanation: Explanation, offset: int) -> Explanation:
    """The master's max offset is exactly this: the end of a put."""
    explanation = demand_max_at_least(explanation, offset)
    before = find_put_before(explanation)
    start = before.end_offset if before else 0
    if not explanation.plan.are_puts_hidden and start < offset < start + MESSAGE_HEAD_BYTES:
        raise Blocked(f"max_offset is {offset}, but no message of {offset - start} bytes exists")
    return check(explanation, "max_offset", explanation.log.max_offset, offset)


def _rolls_over_at(explanation: Explanation, put: Put, offset: int) -> bool:
    """The put finds no room, and what is asked for is only the blank that it leaves behind."""
    start = compute_message_start(explanation.log, put.size_bytes, explanation.cluster.parameters)
    return explanation.log.max_offset < start == put.start_offset == offset


def fill_file(explanation: Explanation, now_ms: float) -> Explanation:
    """A message finds no room; who waits for the transfer to begin is positioned before that."""
    return fire(position_before_rollover(explanation, now_ms), "fill_file")


def compute_message_start(log: CommitLog, size: int, parameters: Parameters) -> int:
    """Where a message of this size will lie: at the log's end, or in the next file."""
    has_room = size <= compute_room_bytes(log, parameters)
    return log.max_offset if has_room else compute_last_file_end(log, parameters)


def finish_disk_at_once(explanation: Explanation, put: Put) -> Explanation:
    """The disk step that follows an append at once, as far as it is possible in this state.

    Where a put looks for a slave first (V-10), its end is soon enough for the disk step.

    The check for a slave comes right after it, not at the put's end some seconds later, when the
    connection may be gone. What is not possible yet is demanded at the end.
    """
    slot = explanation.followed.index(put.number)
    message = explanation.cluster.messages[slot]
    if put.status == "FLUSH_DISK_TIMEOUT" or message.phase != WAITS_FOR_DISK:
        return explanation
    if has_disk_wait(explanation.cluster, message):
        if not _is_flushed_at_once(explanation, put):
            return explanation
        explanation = flush_to(explanation, MASTER, put.end_offset)
    return fire(explanation, "answer_disk_wait", slot)


def _is_flushed_at_once(explanation: Explanation, put: Put) -> bool:
    """The group commit flushes within a few ms, unless an event shows that it has not yet."""
    seen = find_next(explanation.plan.flushed_observations, explanation.now_ms)
    is_seen_before = seen is not None and seen < put.end_offset
    return not is_seen_before

"""From the log to the consume queues: the dispatcher of a running store.

Index files are not modelled; nothing here depends on them.
"""

from __future__ import annotations

from attrs import evolve

from reference.roles import MASTER_ID
from reference.store import consume_queue as consume_queues
from reference.store import content as contents
from reference.store import records
from reference.store.java import JavaError, Thrown
from reference.store.mapped_file import SelectedBuffer
from reference.store.reading import get_data
from reference.store.records import DispatchRequest
from reference.store.store import (
    Flag,
    Store,
    find_consume_queue,
    get_max_physical_offset,
    is_queue_writeable,
    replace_consume_queues,
    roll_next_file,
)

PUT_POSITION_TRIES = 30
"""At intervals of one second."""


def do_dispatch(store: Store, request: DispatchRequest, now_ms: int) -> Store:
    """Enter a message into its queue, unless it is prepared or rolled back (``doDispatch``)."""
    if not records.is_in_queue(request.sys_flag):
        return store
    return put_message_position_info_wrapper(store, request, now_ms)


def put_message_position_info_wrapper(store: Store, request: DispatchRequest, now_ms: int) -> Store:
    """Try thirty times, then mark all queues as broken (``ConsumeQueue`` at 4.4.0).

    After that, no queue of any topic is written again, and a master refuses every put (T1-00385,
    T5-00741). A store that must not write queues marks them too.
    """
    queue = find_consume_queue(store, request.topic, request.queue_id)
    store = replace_consume_queues(store, queue)
    tries = PUT_POSITION_TRIES if is_queue_writeable(store.running_flags) else 0
    for _ in range(tries):
        queue, is_done = consume_queues.put_message_position_info(queue, request, now_ms)
        if is_done:
            timestamp = request.store_timestamp_ms
            checkpoint = evolve(store.checkpoint, logics_msg_timestamp_ms=timestamp)
            return replace_consume_queues(evolve(store, checkpoint=checkpoint), queue)
    flags = store.running_flags | Flag.WRITE_LOGICS_QUEUE_ERROR
    return evolve(replace_consume_queues(store, queue), running_flags=flags)


def is_commit_log_available(store: Store) -> bool:
    """The dispatcher is not at the log's end (``ReputMessageService#isCommitLogAvailable``)."""
    return store.reput_from_offset_bytes < get_max_physical_offset(store)


def is_unconfirmed(store: Store) -> bool:
    """With duplicationEnable nothing is dispatched beyond the confirmed offset."""
    is_confirmed = store.reput_from_offset_bytes < store.confirm_offset_bytes
    return store.config.is_duplication_enabled and not is_confirmed


def do_reput(
    store: Store, now_ms: int, limit_bytes: int | None = None
) -> tuple[Store, Thrown | None]:
    """One run of the dispatcher (``ReputMessageService#doReput``).

    Below a limit only, where a later release dispatches no more than what is flushed or copied.

    It reads its offset's file to the end, then continues in the next one. Below the log's first
    file it finds nothing and never moves again, unless its offset is exactly 0: from there it jumps
    to the first file (T4-00462). Thrown: an error that ends the dispatcher's thread.
    """
    is_going_on = True
    while is_going_on and is_commit_log_available(store) and not is_unconfirmed(store):
        selected = get_data(store, store.reput_from_offset_bytes)
        if selected is not None and limit_bytes is not None:
            selected = cut_at(selected, limit_bytes)
        if selected is None:
            break
        store = evolve(store, reput_from_offset_bytes=selected.start_offset_bytes)
        try:
            store, is_going_on = _read_file(store, selected, now_ms)
        except DispatcherDeadError as dead:
            return dead.store, Thrown(dead.class_name)
    return store, None


def cut_at(selected: SelectedBuffer, limit_bytes: int) -> SelectedBuffer | None:
    """What lies below an offset; None: nothing does."""
    length = min(selected.size_bytes, limit_bytes - selected.start_offset_bytes)
    if length <= 0:
        return None
    return evolve(selected, content=contents.cut(selected.content, 0, length))


class DispatcherDeadError(JavaError):
    """An error thrown by doReput, with the store at that time."""

    def __init__(self, store: Store, class_name: str) -> None:
        super().__init__(class_name)
        self.store = store


def _read_file(store: Store, selected: SelectedBuffer, now_ms: int) -> tuple[Store, bool]:
    """Dispatch the content of a file; False: something in it cannot be read."""
    position, read_bytes = 0, 0
    while read_bytes < selected.size_bytes:
        try:
            request = records.check_message_and_return_size(
                selected.content.data,
                position,
                is_crc_checked=False,
                is_body_read=False,
                largest_array_bytes=store.config.largest_array_bytes,
                delays_ms=store.config.delays_ms,
            )
        except JavaError as error:
            raise DispatcherDeadError(store, error.class_name) from error
        position = request.end_position
        if request.size_bytes < 0:
            return skip_unreadable(store, selected.size_bytes - read_bytes), False
        if request.size_bytes == 0:
            return roll_over_blank(store), True
        if request.is_success:
            store = do_dispatch(store, request, now_ms)
            read_bytes += request.size_bytes
        # A record of a wrong size moves the dispatcher by that size and its buffer by the real one.
        moved = store.reput_from_offset_bytes + request.size_bytes
        store = evolve(store, reput_from_offset_bytes=moved)
    return store, True


def roll_over_blank(store: Store) -> Store:
    """Move to the next file, even if the blank is not complete yet.

    The dispatcher is then ahead of the log's end (T2-00476).
    """
    next_file = roll_next_file(store.config, store.reput_from_offset_bytes)
    return evolve(store, reput_from_offset_bytes=next_file)


def skip_unreadable(store: Store, rest_bytes: int) -> Store:
    """A master skips the rest of what the file holds now; a slave waits here for ever.

    T5-00180. This depends on ``brokerId``, not on the role.
    """
    if store.config.broker_id != MASTER_ID:
        return store
    return evolve(store, reput_from_offset_bytes=store.reput_from_offset_bytes + rest_bytes)


def dispatch_until_rest(store: Store, now_ms: int, limit_bytes: int | None = None) -> Store:
    """The dispatcher's thread runs until nothing changes any more (``ReputMessageService#run``)."""
    while store.is_dispatcher_running:
        before = store.reput_from_offset_bytes
        store, thrown = do_reput(store, now_ms, limit_bytes)
        if thrown is not None:
            return evolve(store, is_dispatcher_running=False)
        if store.reput_from_offset_bytes == before:
            break
    return store

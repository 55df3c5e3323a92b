"""Synchronous replication: a master's puts wait until a slave has acknowledged them.

A small simulation with an explicit clock (ms): requests and acknowledgements arrive at their times,
and the service's thread works without delay. Each request in turn gets five waits of at most a
second each. Any acknowledgement ends a wait, sufficient or not, so six small ones within two
seconds refuse the put (T6-00040). One that arrives while no request waits ends the next wait
immediately (T6-00001). Requests that arrive together are served one after another (T6-00052).
"""

from __future__ import annotations

from attrs import evolve, field, frozen

from reference.store.store import StoreConfig

WAITS_MAX = 5
WAIT_MS = 1000


def is_slave_ok(
    config: StoreConfig, connection_count: int, put_where_bytes: int, push2_slave_bytes: int
) -> bool:
    """A slave is connected and less than haSlaveFallbehindMax behind (``HAService#isSlaveOK``).

    At exactly that distance it is not (T6-00206); one that is ahead of the put is (T6-00214).
    """
    behind_bytes = put_where_bytes - push2_slave_bytes
    return connection_count > 0 and behind_bytes < config.ha_slave_fallbehind_max_bytes


@frozen
class GroupCommitRequest:
    """A put that waits."""

    number: int
    """The caller's own identification of the request."""
    next_offset_bytes: int
    """Offset after the message."""


@frozen
class Wakeup:
    """The service has finished a request (``GroupCommitRequest#wakeupCustomer``)."""

    number: int
    is_transferred: bool
    at_ms: int


@frozen
class TransferWait:
    """One wait of the service for an acknowledgement (``WaitNotifyObject#waitForRunning``)."""

    begin_ms: int
    end_ms: int
    is_notified_before: bool
    """An acknowledgement had arrived before it began: it took no time."""


@frozen
class GroupTransfer:
    """The service, its requests and the slaves' greatest acknowledged offset."""

    now_ms: int = 0
    push2_slave_max_offset_bytes: int = 0
    is_running: bool = False
    requests_write: tuple[GroupCommitRequest, ...] = ()
    """Requests that arrived while the service was busy."""
    requests_read: tuple[GroupCommitRequest, ...] = ()
    """Requests being served; the service waits for the first one."""
    has_notified: bool = False
    """An acknowledgement arrived while the service was not waiting for one."""
    waits_of_request: int = 0
    wait_begin_ms: int | None = None
    """Start of the current wait; None: there is none."""
    waits: tuple[TransferWait, ...] = field(default=())
    wakeups: tuple[Wakeup, ...] = field(default=())
    notify_count: int = 0
    """Calls of notifyTransferSome that raised the offset."""


def start(state: GroupTransfer) -> GroupTransfer:
    """The thread starts."""
    return _work(evolve(state, is_running=True))


def put_request(state: GroupTransfer, request: GroupCommitRequest) -> GroupTransfer:
    """A put queries whether a slave has it (``GroupTransferService#putRequest``)."""
    return _work(evolve(state, requests_write=(*state.requests_write, request)))


def notify_transfer_some(state: GroupTransfer, offset_bytes: int) -> GroupTransfer:
    """A slave has acknowledged an offset; one lower than before has no effect.

    ``HAService#notifyTransferSome``.
    """
    if offset_bytes <= state.push2_slave_max_offset_bytes:
        return state
    state = evolve(
        state,
        push2_slave_max_offset_bytes=offset_bytes,
        notify_count=state.notify_count + 1,
    )
    if state.wait_begin_ms is None:
        return evolve(state, has_notified=True)
    return _work(_end_wait(state, state.wait_begin_ms))


def advance(state: GroupTransfer, now_ms: int) -> GroupTransfer:
    """Time passes: waits end after a second."""
    while state.wait_begin_ms is not None and state.wait_begin_ms + WAIT_MS <= now_ms:
        state = evolve(state, now_ms=state.wait_begin_ms + WAIT_MS)
        state = _work(_end_wait(state, state.now_ms - WAIT_MS))
    return evolve(state, now_ms=now_ms)


def _end_wait(state: GroupTransfer, begin_ms: int) -> GroupTransfer:
    wait = TransferWait(begin_ms, state.now_ms, is_notified_before=state.has_notified)
    return evolve(
        state,
        wait_begin_ms=None,
        has_notified=False,
        waits_of_request=state.waits_of_request + 1,
        waits=(*state.waits, wait),
    )


def _work(state: GroupTransfer) -> GroupTransfer:
    """The thread's work until it has to wait (``GroupTransferService#doWaitTransfer``)."""
    while state.is_running and state.wait_begin_ms is None:
        if not state.requests_read:
            if not state.requests_write:
                break
            state = evolve(state, requests_read=state.requests_write, requests_write=())
        request = state.requests_read[0]
        is_transferred = state.push2_slave_max_offset_bytes >= request.next_offset_bytes
        if is_transferred or state.waits_of_request == WAITS_MAX:
            wakeup = Wakeup(request.number, is_transferred, state.now_ms)
            state = evolve(
                state,
                requests_read=state.requests_read[1:],
                waits_of_request=0,
                wakeups=(*state.wakeups, wakeup),
            )
        elif state.has_notified:
            state = _end_wait(state, state.now_ms)
        else:
            state = evolve(state, wait_begin_ms=state.now_ms)
    return state

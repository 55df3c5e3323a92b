"""Puts, from the request to the answer: appended, then moved on by the rules from wait to wait.

Source: DefaultMessageStore#putMessage, CommitLog#putMessage, #handleDiskFlush, #handleHA of 4.4.0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from brokers.broker.replication.followed_puts import FollowedPuts, PendingPut
from brokers.broker.replication.group_commit import GroupCommit
from brokers.broker.replication.group_transfer import LiveGroupTransfer
from brokers.broker.storage.live_store import MASTER_LOG
from reference.store.java import Thrown
from reference.store.put import (
    MessageBatch,
    MessageToPut,
    PutEnvironment,
    PutMessageResult,
    PutMessageStatus,
    is_written,
)
from reference.worlds.replication.state import (
    ANSWERED,
    REFUSED,
    STATUS_NAMES,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
)

WAITING_MAX = 10_000
"""``sendThreadPoolQueueCapacity``: puts beyond it are refused as *too busy*."""


def is_answered_unstored(result: PutMessageResult | Thrown | None) -> bool:
    """PUT_OK, though no byte of it was stored: an empty batch, or one too large for any file.

    It waits for nothing, and the rules have no step for it (T5-00048).
    """
    if not isinstance(result, PutMessageResult) or result.status is not PutMessageStatus.PUT_OK:
        return False
    append = result.append
    return append is None or not is_written(append) or append.wrote_bytes == 0


@define(eq=False, repr=False)
class Puts(FollowedPuts):
    """All puts of a master."""

    wake_writers: Callable[[], None]
    make_transfer: type[LiveGroupTransfer] = LiveGroupTransfer
    disk: GroupCommit = field(init=False)
    transfer: LiveGroupTransfer = field(init=False)
    waiting: deque[PendingPut] = field(factory=deque)
    """Those that nobody has begun to append."""

    def __attrs_post_init__(self) -> None:
        self.disk = GroupCommit(self, self.advance)
        self.transfer = self.make_transfer(self, self.advance)

    def ask(
        self, message: MessageToPut | MessageBatch, on_answer: Callable[[PendingPut], None]
    ) -> PendingPut | None:
        """A put; None: too many wait already."""
        if len(self.waiting) >= WAITING_MAX:
            return None
        put = PendingPut(message, on_answer, self.host.now_ms())
        self.waiting.append(put)
        self._begin_next()
        return put

    def _begin_next(self) -> None:
        while self.waiting and len(self.slots) < self.settings.puts_at_once:
            put = self.waiting.popleft()
            put.begin_ms = self.host.now_ms()
            put.push2_before = self.rules.get("master.push2_slave_max_offset")
            put.connections_before = self.rules.get("master.connection_count")
            self.slots.append(put)
            self._append(put)

    def _append(self, put: PendingPut) -> None:
        around = PutEnvironment(
            self.host.wall_ms(),
            connection_count=put.connections_before,
            push2_slave_max_offset_bytes=put.push2_before,
            os_page_cache_busy_timeout_ms=self.settings.number("osPageCacheBusyTimeOutMills"),
        )
        before, put.result = self.store.put(put.message, around)
        append = None if isinstance(put.result, Thrown) else put.result.append
        is_stored = append is not None and is_written(append)
        begin = append.wrote_offset_bytes if append is not None and is_stored else None
        if self._is_rolled(before, begin):
            self.rules.fire("fill_file")
        if is_answered_unstored(put.result):
            self.store.learn_log()
            self._hand_back(put)
            return
        if append is None or begin is None:
            self._refuse(put)
            return
        self.rules.fire(
            self.name(put, "append_message"),
            size_bytes=append.wrote_bytes,
            waits_for_store=int(put.waits_for_store),
        )
        self.store.agree(self.rules, MASTER_LOG)
        put.end_offset = begin + append.wrote_bytes
        self.store.note_append()
        self.disk.notice(put)
        self.advance(put)

    def _is_rolled(self, before: int, begin: int | None) -> bool:
        """The put has filled its file with a blank, whether it was stored behind it or not."""
        after = self.store.max_offset if begin is None else begin
        return before < after

    def _refuse(self, put: PendingPut) -> None:
        status = PutMessageStatus.UNKNOWN_ERROR
        if isinstance(put.result, PutMessageResult):
            status = put.result.status
        if self.store.has_more_files(self.rules, MASTER_LOG):
            self.rules.fire("create_master_file")
        self.rules.fire(self.name(put, "refuse_put"), status=STATUS_NAMES.index(status.name))
        self.store.learn_log()
        self.advance(put)

    def advance(self, put: PendingPut) -> None:
        """The put goes on to its next wait, or is answered."""
        phase = self.get(put, "phase")
        if phase in (ANSWERED, REFUSED):
            self._answer(put)
        elif phase == WAITS_FOR_SLAVE:
            self.transfer.ask(put)
            if put.waits_for_store:
                self.wake_writers()
        elif phase != WAITS_FOR_DISK:
            names = ("skip_slave_wait", "refuse_slave_wait", "request_slave_wait")
            self.rules.fire_first(*(self.name(put, name) for name in names))
            self.advance(put)
        elif self.settings.is_sync_flush and put.waits_for_store:
            self.disk.ask(put)
        else:
            self.rules.fire(self.name(put, "answer_disk_wait"))
            self.advance(put)

    def _answer(self, put: PendingPut) -> None:
        status = PutMessageStatus[STATUS_NAMES[self.get(put, "status")]]
        if isinstance(put.result, PutMessageResult):
            put.result = PutMessageResult(status, put.result.append)
        self.rules.forget_message(self.slots.index(put))
        self._hand_back(put)

    def _hand_back(self, put: PendingPut) -> None:
        put.is_answered = True
        self.slots.remove(put)
        put.on_answer(put)
        self.host.after(0.0, self._begin_next)

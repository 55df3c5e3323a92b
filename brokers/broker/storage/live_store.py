"""A store that runs: puts and frames are appended, and its services flush, dispatch and clean up.

The bytes are changed by the functions of ``reference.store``; what the log is afterwards is learnt
by the rules, and where a rule has made the same step, both have to agree.
Source: DefaultMessageStore, CommitLog of 4.4.0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime

from attrs import define, evolve, field

from brokers.broker import habits
from brokers.broker.host import Host, Timer
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import Settings
from brokers.broker.storage.store_files import StoreFiles
from reference.store import dispatch, expiry, group_commit, put, records, recovery, slave_append
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.expiry import CleanCommitLogService, CleanConfig, CleanConsumeQueueService
from reference.store.java import Thrown
from reference.store.put import MessageBatch, MessageToPut, PutEnvironment, PutMessageResult
from reference.store.store import Store

MASTER_LOG, SLAVE_LOG = "master.log", "slaves.0.log"


class StoreFailedError(Exception):
    """The store cannot be loaded: one line."""


class DisagreementError(Exception):
    """Rules and bytes differ: a defect of this program."""


@define(eq=False, repr=False)
class LiveStore:
    """The store of a running broker."""

    settings: Settings
    files: StoreFiles
    host: Host
    serving: RuledState
    """The group in which this broker is the master: its HA service."""
    copying: RuledState | None
    """The group in which this broker is the slave: its HA client."""
    store: Store = field(init=False)
    is_last_exit_normal: bool = True
    started_ms: int = 0
    on_dispatched: list[Callable[[], None]] = field(factory=list)
    """Called when queues may have grown."""
    on_appended: list[Callable[[], None]] = field(factory=list)
    """Called when the log has grown."""
    find_confirmed: Callable[[], int] = field(default=lambda: sys.maxsize)
    """Up to where a master in controller mode may dispatch at most."""
    _timers: dict[str, Timer] = field(factory=dict)
    _thorough_ms: float = 0.0
    _clean_log: CleanCommitLogService = field(factory=CleanCommitLogService)
    _clean_queues: CleanConsumeQueueService = field(factory=CleanConsumeQueueService)

    @property
    def max_offset(self) -> int:
        """``getMaxPhyOffset``."""
        return stores.get_max_physical_offset(self.store)

    @property
    def min_offset(self) -> int:
        """``getMinPhyOffset``; -1 without a file."""
        return stores.get_min_physical_offset(self.store)

    @property
    def flushed_offset(self) -> int:
        """``MappedFileQueue.flushedWhere``."""
        return self.store.commit_log.flushed_where_bytes

    @property
    def is_stopping(self) -> bool:
        """``DefaultMessageStore.shutdown``: a stop in order has begun."""
        return self.store.is_shutdown

    # Start and end

    def load(self) -> None:
        """Read and recover everything. Raises StoreFailedError, OSError."""
        found = self.files.find_store(self.settings.make_store_config())
        self.is_last_exit_normal = not found.has_abort_file
        loaded, is_loaded = recovery.load(found, self.host.wall_ms())
        if is_loaded is not True:
            why = is_loaded.class_name if isinstance(is_loaded, Thrown) else "it cannot be read"
            raise StoreFailedError(f"{self.files.root}: the store does not load: {why}")
        self.store = loaded
        self.files.remove_gone(loaded)

    def start(self) -> None:
        """``DefaultMessageStore#start``, and the services of the store."""
        self.store = stores.start(self.store)
        self.files.set_abort_file(is_there=True)
        self._thorough_ms = self.host.now_ms()
        self.learn_log()
        self.started_ms = self.host.wall_ms()
        interval_ms = self.settings.number("flushIntervalCommitLog")
        if self.settings.is_sync_flush:
            self.every("group commit", habits.GROUP_COMMIT_MS, self._flush_for_nobody)
        else:
            self.every("flush", interval_ms, self.flush_pages)
        clean_ms = self.settings.number("cleanResourceInterval")
        self.every("clean", clean_ms, self.clean, first_ms=60_000.0)
        thorough_ms = self.settings.number("flushConsumeQueueThoroughInterval")
        self.every("checkpoint", thorough_ms, self._write_checkpoint)

    def every(
        self, name: str, delay_ms: float, act: Callable[[], None], first_ms: float | None = None
    ) -> None:
        """A service that acts again and again until the store stops."""

        def tick() -> None:
            self._timers[name] = self.host.after(delay_ms, tick)
            act()

        self._timers[name] = self.host.after(delay_ms if first_ms is None else first_ms, tick)

    def once(self, name: str, delay_ms: float, act: Callable[[], None]) -> None:
        """Something that is about to happen anyway is not asked for twice."""
        if name in self._timers:
            return

        def go() -> None:
            del self._timers[name]
            act()

        self._timers[name] = self.host.after(delay_ms, go)

    def begin_stop(self) -> None:
        """No more puts, appends and reads for slaves."""
        self.store = stores.begin_shutdown(self.store)
        for state, path in self._list_states():
            state.learn_all({f"{path.removesuffix('.log')}.is_stopping": 1})

    def finish_stop(self) -> None:
        """Flush, and leave everything to the next process."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.store = dispatch.dispatch_until_rest(self.store, self.host.wall_ms())
        begin = self.flushed_offset
        self.store = stores.finish_shutdown(self.store)
        self.files.force(self.store.commit_log, begin, self.flushed_offset)
        self.files.remove_gone(self.store)
        self._write_checkpoint()
        self.files.set_abort_file(is_there=self.store.has_abort_file)

    def _write_checkpoint(self) -> None:
        self.files.write_checkpoint(self.store.checkpoint)

    # What the rules know of the log

    def list_leaves(self) -> dict[str, int]:
        """The log's leaves, as the bytes are."""
        files = self.store.commit_log.mapped_files
        return {
            "start_offset": max(0, self.min_offset),
            "last_file_offset": files[-1].file_from_offset_bytes if files else 0,
            "has_file": int(bool(files)),
            "flushed_offset": self.flushed_offset,
            "dispatched_offset": self.store.reput_from_offset_bytes,
        }

    def _list_states(self) -> Iterator[tuple[RuledState, str]]:
        yield self.serving, MASTER_LOG
        if self.copying is not None:
            yield self.copying, SLAVE_LOG

    def learn_log(self) -> None:
        """Tell the rules what the bytes are."""
        leaves = self.list_leaves()
        for state, path in self._list_states():
            state.learn_all({f"{path}.{name}": value for name, value in leaves.items()})
            state.learn_all(state.list_ends(path, self.max_offset))

    def agree_on_flush(self, ruled: int) -> None:
        """A put's flush has reached what its rule says. Raises DisagreementError."""
        if ruled != self.flushed_offset:
            text = f"flushed to {ruled} by the rules, to {self.flushed_offset} by the bytes"
            raise DisagreementError(text)

    def agree(self, state: RuledState, path: str) -> None:
        """What a rule has made of the log is what the bytes are. Raises DisagreementError."""
        leaves = self.list_leaves()
        leaves["ends.0"] = self.max_offset
        for name in ("ends.0", "has_file", "last_file_offset"):
            ruled = state.get(f"{path}.{name}")
            if ruled != leaves[name]:
                text = f"{path}.{name} is {ruled} by the rules, {leaves[name]} by the bytes"
                raise DisagreementError(text)

    def has_more_files(self, state: RuledState, path: str) -> bool:
        """A file has been made that the rules do not know of."""
        leaves = self.list_leaves()
        names = ("has_file", "last_file_offset")
        return any(leaves[name] > state.get(f"{path}.{name}") for name in names)

    # Appends

    def put(
        self, message: MessageToPut | MessageBatch, around: PutEnvironment
    ) -> tuple[int, PutMessageResult | Thrown]:
        """Append a put, without its waits; with the log's end before it."""
        before = self.max_offset
        if isinstance(message, MessageBatch):
            self.store, answer = put.put_messages(
                self.store, message, around, is_acknowledged=False
            )
        else:
            self.store, answer = put.put_message(self.store, message, around, is_acknowledged=False)
        return before, answer

    def append_frame(self, offset: int, body: bytes) -> bool:
        """Append what a master has sent (``appendToCommitLog``); False: nothing was stored."""
        creation, now_ms = Creation.POSSIBLE, self.host.wall_ms()
        self.store, is_appended = slave_append.append_to_commit_log(
            self.store, offset, Content(body), creation, now_ms
        )
        return is_appended

    def note_append(self) -> None:
        """The log has grown: dispatch and readers look."""
        self.learn_log()
        self.once("dispatch", habits.DISPATCH_MS, self.dispatch)
        for act in self.on_appended:
            act()

    # Truncation in controller mode

    def is_record_at(self, offset: int) -> bool:
        """A record begins there, or nothing does (``DefaultMessageStore#isOffsetAligned``)."""
        data = self.read(offset, self.max_offset)
        return not data or records.check_message_and_return_size(data) != records.UNREADABLE

    def truncate(self, offset: int) -> None:
        """End log and queues there (``DefaultMessageStore#truncateDirtyFiles`` of 5.3.3)."""
        if offset >= self.max_offset:
            return
        flushed, dispatched = self.flushed_offset, self.store.reput_from_offset_bytes
        cut = recovery.end_log_at(self.store, offset, offset, self.host.wall_ms())
        log = queues.set_flushed_where(cut.commit_log, min(flushed, offset))
        cut = evolve(cut, commit_log=log, reput_from_offset_bytes=min(dispatched, offset))
        self.store = recovery.recover_topic_queue_table(cut)
        self.files.remove_gone(self.store)

    def wake_flush(self) -> None:
        """A put wakes the flush of a release whose flush does not sleep its whole interval."""
        if not self.settings.is_sync_flush and not self.settings.habits.is_flush_timed:
            self.once("flush for a put", 0.0, self.flush_pages)

    def read(self, offset: int, size: int) -> bytes:
        """Bytes for a slave (``getCommitLogData``)."""
        log = self.store.commit_log
        file = queues.find_mapped_file_by_offset(log, offset, is_first_returned=offset == 0)
        if file is None or self.store.is_shutdown:
            return b""
        position = offset - file.file_from_offset_bytes
        end = min(position + size, file.wrote_position_bytes)
        return bytes(file.content.data[position:end])

    # Services

    def dispatch(self) -> None:
        """``ReputMessageService#doReput``, as far as the rules let it go."""
        limit = self._find_dispatch_limit()
        if limit <= self.store.reput_from_offset_bytes:
            return
        self.store = dispatch.dispatch_until_rest(self.store, self.host.wall_ms(), limit)
        self.learn_log()
        for act in self.on_dispatched:
            act()

    def _find_dispatch_limit(self) -> int:
        """The log's end, or less where a release dispatches only what is flushed or copied."""
        rules, name = self.serving, "dispatch_master"
        if self.copying is not None:
            rules, name = self.copying, "dispatch_slave[0]"
        ranges = rules.find_ranges(name)
        return 0 if ranges is None else min(ranges[0][1], self.find_confirmed())

    def flush(self, least_pages: int = 0) -> None:
        """Force one file, if enough of it is not (``MappedFileQueue#flush``)."""
        begin = self.flushed_offset
        flushed, is_unchanged = group_commit.flush_pages(self.store, least_pages)
        self.files.force(flushed.commit_log, begin, flushed.commit_log.flushed_where_bytes)
        self.store = stores.keep_physic_timestamp(flushed)
        if not is_unchanged:
            self.learn_log()
            self.once("dispatch", habits.DISPATCH_MS, self.dispatch)

    def flush_pages(self) -> None:
        """``FlushRealTimeService#run``: some pages, or all of it now and then."""
        now_ms = self.host.now_ms()
        thorough_ms = self.settings.number("flushCommitLogThoroughInterval")
        if now_ms >= self._thorough_ms + thorough_ms:
            self._thorough_ms = now_ms
            self.flush()
        else:
            self.flush(self.settings.number("flushCommitLogLeastPages"))

    def _flush_for_nobody(self) -> None:
        if self.flushed_offset < self.max_offset:
            self.flush()

    def clean(self) -> None:
        """``cleanFilesPeriodically``: expired files of the log, then of the queues."""
        settings, wall_ms = self.settings, self.host.wall_ms()
        config = CleanConfig(
            file_reserved_hours=settings.number("fileReservedTime"),
            disk_max_used_space_ratio=settings.number("diskMaxUsedSpaceRatio"),
            is_clean_file_forcibly_enabled=bool(settings.get("cleanFileForciblyEnable")),
        )
        ratio = self.files.compute_disk_ratio()
        hour = datetime.fromtimestamp(wall_ms / 1000).hour
        is_time = f"{hour:02d}" in settings.text("deleteWhen").split(";")
        around = expiry.ExpiryEnvironment(wall_ms, is_time, ratio, ratio)
        self.store, self._clean_log = expiry.run(self.store, self._clean_log, config, around)
        self.store, self._clean_queues = expiry.clean_consume_queues(
            self.store, self._clean_queues, wall_ms
        )
        self.files.remove_gone(self.store)
        self.learn_log()

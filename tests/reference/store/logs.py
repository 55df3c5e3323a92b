"""Stores, logs and damaged logs for tests of the store."""

from __future__ import annotations

from attrs import evolve, frozen
from hypothesis import strategies as st

from reference.roles import Role
from reference.store import content as contents
from reference.store import dispatch, put, recovery, slave_append
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.mapped_file import name_file
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.put import MessageToPut, PutMessageResult, PutMessageStatus
from reference.store.records import Record, encode, encode_blank_header
from reference.store.store import Store, StoreConfig

NOW_MS = 10**12
FILE_SIZE = 512
TOPIC = "TopicA"

SLAVE = StoreConfig(
    FILE_SIZE,
    max_message_size_bytes=FILE_SIZE - 8,
    broker_role=Role.SLAVE,
    broker_id=1,
    is_message_index_enabled=False,
)
MASTER = evolve(SLAVE, broker_role=Role.ASYNC_MASTER, broker_id=0)


def load(store: Store) -> Store:
    """A store that is loaded."""
    store, is_loaded = recovery.load(store, NOW_MS)
    assert is_loaded is True
    return store


def start(config: StoreConfig) -> Store:
    """A store that runs over an empty folder."""
    return stores.start(load(stores.create_store(config)))


def put_message(
    store: Store, message: MessageToPut, epoch: int | None = None
) -> tuple[Store, PutMessageResult]:
    """Put a message that nothing keeps from being put, and dispatch it."""
    around = put.PutEnvironment(NOW_MS, epoch=epoch)
    store, answer = put.put_message(store, message, around)
    assert isinstance(answer, PutMessageResult)
    return dispatch.dispatch_until_rest(store, NOW_MS), answer


def fill(config: StoreConfig, messages: list[MessageToPut], epoch: int | None = None) -> Store:
    """A running master that has put messages."""
    store = start(config)
    for message in messages:
        store, answer = put_message(store, message, epoch)
        assert answer.status is PutMessageStatus.PUT_OK
    return store


def append(store: Store, data: Content, start_offset: int = 0) -> tuple[Store, bool]:
    """Append to a slave, and dispatch."""
    store, is_appended = slave_append.append_to_commit_log(
        store, start_offset, data, Creation.POSSIBLE, NOW_MS
    )
    return dispatch.dispatch_until_rest(store, NOW_MS), is_appended


def stop(store: Store) -> Store:
    """What a shutdown in order leaves for the next process."""
    return stores.leave_to_next_process(stores.finish_shutdown(stores.begin_shutdown(store)))


def kill(store: Store) -> Store:
    """What a kill leaves for the next process."""
    return stores.leave_to_next_process(store)


@frozen
class Log:
    """A master's log: records that follow each other, and blanks."""

    data: bytes
    """From offset 0 to the end of its last file."""
    ends: tuple[int, ...]
    """Where each record ends."""

    @property
    def end(self) -> int:
        """Where the log ends."""
        return self.ends[-1] if self.ends else 0

    @property
    def file_count(self) -> int:
        """How many files it has."""
        return len(self.data) // FILE_SIZE


def make_log(shapes: list[tuple[int, int]]) -> Log:
    """Records of given lengths of body and properties."""
    data, ends = b"", []
    for number, (body_length, properties_length) in enumerate(shapes):
        record = Record(
            topic=TOPIC.encode(),
            queue_id=0,
            queue_offset=number,
            physical_offset_bytes=0,
            body=bytes(1 + (number + index) % 255 for index in range(body_length)),
            properties=b"k\x01" + b"v" * properties_length + b"\x02",
            store_timestamp_ms=10**6 + number,
        )
        left = FILE_SIZE - len(data) % FILE_SIZE
        if len(encode(record)) + 8 > left:
            data += encode_blank_header(left).ljust(left, b"\0")
        data += encode(evolve(record, physical_offset_bytes=len(data)))
        ends.append(len(data))
    whole = -(-len(data) // FILE_SIZE) * FILE_SIZE
    return Log(data.ljust(whole, b"\0"), tuple(ends))


def lay_down(
    data: Content, *, config: StoreConfig = SLAVE, is_killed: bool = False, extra_files: int = 0
) -> Store:
    """Files on disk that hold the data; zeros up to the last file's end, and in further files."""
    count = max(1, -(-len(data) // FILE_SIZE)) + extra_files
    whole = contents.lengthen(data, count * FILE_SIZE)
    files = tuple(
        DiskFile(name_file(at), contents.cut(whole, at, at + FILE_SIZE))
        for at in range(0, len(whole), FILE_SIZE)
    )
    log = MappedFileQueue(FILE_SIZE, other_files=files)
    return evolve(stores.create_store(config), commit_log=log, has_abort_file=is_killed)


LOGS = st.lists(st.tuples(st.integers(0, 200), st.integers(0, 100)), min_size=1, max_size=8).map(
    make_log
)
MESSAGES = st.lists(
    st.builds(
        MessageToPut,
        topic=st.sampled_from([TOPIC, "TopicB"]),
        queue_id=st.integers(0, 1),
        body=st.one_of(st.none(), st.binary(max_size=250)),
        properties=st.one_of(st.none(), st.text("kv\x01\x02", max_size=80)),
        sys_flag=st.sampled_from([0, 4, 8, 12]),
    ),
    max_size=10,
)

"""A master and a slave in bytes: two stores, their disks, and what is told beside them.

Told and never inferred from the rules: which life of the master's log wrote a byte (its origin),
which message is followed, what the connection has in flight, and what a disk holds of each file.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, fields_dict, frozen

from properties.worlds.replication.world import ClaimedGroup
from reference.roles import Role
from reference.store import content as contents
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.content import Content
from reference.store.mapped_file_queue import MappedFileQueue
from reference.store.store import Store, StoreConfig
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.state import UNKNOWN_OFFSET, Link, Message
from tests.reference.store.logs import load

FILE_SIZE = 512
PAGE_SIZE = 32
"""What a power loss keeps or takes as one; 4096 on a real machine, with files of 1 GiB."""
LIVES = 4
LARGEST_MESSAGE = FILE_SIZE - 8

SLAVE = StoreConfig(
    FILE_SIZE,
    max_message_size_bytes=LARGEST_MESSAGE,
    broker_role=Role.SLAVE,
    broker_id=1,
    is_message_index_enabled=False,
)
MASTER = evolve(SLAVE, broker_role=Role.ASYNC_MASTER, broker_id=0)
STRUCTURE = ClaimedGroup(lives=LIVES)
LIMITS = FaultCounts(**dict.fromkeys(fields_dict(FaultCounts), 99))
PARAMETERS = Parameters(
    mapped_file_size_bytes=FILE_SIZE, message_size_max_bytes=LARGEST_MESSAGE, limits=LIMITS
)


@frozen
class Broker:
    """One broker: its store as its process sees it, or left it, and its disk."""

    store: Store
    disk: Mapping[int, Content] = field(factory=dict)
    """By the begin of a file, what a force has written of it; zeros where there is none."""
    is_up: bool = True
    is_stopping: bool = False

    @property
    def log(self) -> MappedFileQueue:
        """Its commit log."""
        return self.store.commit_log

    @property
    def max_offset(self) -> int:
        """Where its next byte goes."""
        return stores.get_max_physical_offset(self.store)


@frozen
class Group:
    """Both brokers, and what is told."""

    master: Broker
    slave: Broker
    life: int = 0
    """The present life of the master's log."""
    trailing_blank_offset: int = UNKNOWN_OFFSET
    """Where the blank begins that was written last, while nothing was written behind it."""
    link: Link = field(factory=Link)
    """The connection; nothing that a store knows of."""
    message: Message = field(factory=Message)
    """The message that is followed, if its phase says so."""


def start_empty(config: StoreConfig) -> Broker:
    """A broker that runs over an empty folder."""
    return Broker(stores.start(load(stores.create_store(config))))


def make_group() -> Group:
    """Two empty brokers."""
    return Group(start_empty(MASTER), start_empty(SLAVE))


def list_written(log: MappedFileQueue) -> list[contents.Origin | None]:
    """The origin of each byte from the log's first file to its end."""
    found: list[contents.Origin | None] = []
    for file in log.mapped_files:
        told = contents.list_origins(file.content)
        found += told[: file.wrote_position_bytes]
    return found


def get_begin(log: MappedFileQueue) -> int:
    """Where the first file begins; 0 without any."""
    return log.mapped_files[0].file_from_offset_bytes if log.mapped_files else 0


def retell(log: MappedFileQueue, begin: int, end: int, life: int) -> MappedFileQueue:
    """The log whose bytes between two offsets are said to be of a life: the master's say."""
    for file in log.mapped_files:
        base = file.file_from_offset_bytes
        low, high = max(begin, base), min(end, file.end_offset_bytes)
        if low < high:
            piece = contents.cut(file.content, low - base, high - base)
            told = contents.tell_origins(piece.data, life, low)
            changed = evolve(file, content=contents.write(file.content, low - base, told))
            log = queues.replace_file(log, file, changed)
    return log


def change_log(broker: Broker, log: MappedFileQueue) -> Broker:
    """The broker with another log."""
    return evolve(broker, store=evolve(broker.store, commit_log=log))


def cut_master_log(group: Group, begin: int, end: int) -> Content:
    """The master's bytes between two offsets of one file."""
    for file in group.master.log.mapped_files:
        base = file.file_from_offset_bytes
        if base <= begin and end <= file.end_offset_bytes:
            return contents.cut(file.content, begin - base, end - base)
    raise LookupError(f"the master does not hold {begin} to {end}")


def has_bytes_of(broker: Broker, message: Message) -> bool:
    """The log holds every byte of the message, and each is the message's own."""
    begin = get_begin(broker.log)
    low, high = message.start_offset - begin, message.end_offset - begin
    held = list_written(broker.log)[max(0, low) : high]
    own = [(message.ghost_life, at) for at in range(message.start_offset, message.end_offset)]
    return message.phase > 0 and low >= 0 and held == own

"""What happens to a group, done in bytes by the functions of the store.

Each function gives a step: the group after it, and the rules that may be it. None: it cannot happen
now, or nothing comes of it.
"""

from __future__ import annotations

from attrs import evolve

from reference.store import content as contents
from reference.store import dispatch, expiry, mapped_file, put, slave_append
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.put import AppendMessageStatus
from reference.worlds.replication.state import ANSWERED, UNKNOWN_OFFSET, Link, Message
from tests.abstraction.covering import Hints, Plan, Step
from tests.abstraction.forgetting import find_dispatched
from tests.abstraction.group import (
    FILE_SIZE,
    LARGEST_MESSAGE,
    Broker,
    Group,
    change_log,
    cut_master_log,
    get_begin,
    has_bytes_of,
    retell,
)
from tests.reference.store.logs import NOW_MS

FLUSH_LEAST_PAGES = 4
"""``MessageStoreConfig#flushCommitLogLeastPages``."""
APPENDS = ("append_message", "append_other_message")
MASTER_STARTS = (
    "restart_master",
    "restart_master_without_blank",
    "restart_master_behind_blank",
    "restart_master_with_stale_bytes",
)
FOUND_FILE = ("create_master_file", "")
"""A start may find the next file, which was made in advance."""
SLAVE_STARTS = ("restart_slave", "restart_slave_beyond_received", "restart_slave_with_stale_bytes")
MASTER_EXPIRIES = (
    "expire_master_file",
    "expire_uncopied_master_file",
    "delete_young_master_file",
)
SLAVE_EXPIRIES = ("expire_slave_file", "delete_young_slave_file")


def finish(name: str, after: Group, plan: Plan, **hints: int) -> Step:
    """A step whose arguments are likely these, with what is true of the followed message."""
    told: Hints = {key: frozenset({value}) for key, value in hints.items()}
    return Step(name, mark(after), plan, told)


def mark(group: Group) -> Group:
    """What has come true of the followed message: told by its bytes."""
    message = group.message
    dispatched = group.master.store.reput_from_offset_bytes
    is_readable = has_bytes_of(group.master, message) and message.end_offset <= dispatched
    return evolve(
        group,
        message=evolve(
            message,
            ghost_is_received=message.ghost_is_received or has_bytes_of(group.slave, message),
            ghost_is_readable=message.ghost_is_readable or is_readable,
        ),
    )


def put_message(group: Group, message: put.MessageToPut, *, is_followed: bool) -> Step | None:
    """A message is put; behind a blank, if it does not fit."""
    master = group.master
    if not can_put(group):
        return None
    around = put.PutEnvironment(NOW_MS, epoch=group.life)
    start = master.max_offset
    store, answer = put.put_message(master.store, message, around)
    if not isinstance(answer, put.PutMessageResult) or answer.append is None:
        return None
    if answer.append.status is not AppendMessageStatus.PUT_OK:
        return None
    begin, size = answer.append.wrote_offset_bytes, answer.append.wrote_bytes
    written = change_log(evolve(master, store=store), retell_all(store, start, group.life))
    after = evolve(group, master=written, trailing_blank_offset=UNKNOWN_OFFSET)
    is_first = is_followed and group.message.phase == 0
    if is_first:
        told = Message(start_offset=begin, end_offset=begin + size, ghost_life=group.life)
        after = evolve(after, message=evolve(told, phase=ANSWERED))
    has_rolled = begin > start and start % FILE_SIZE > 0
    plan: Plan = ((APPENDS[not is_first],),)
    plan = (("fill_file",), *plan) if has_rolled else plan
    return finish("put", after, plan, size_bytes=size, waits_for_store=1)


def can_put(group: Group) -> bool:
    """The master runs and is not about to stop."""
    return group.master.is_up and not group.master.is_stopping


def retell_all(store: stores.Store, start: int, life: int) -> queues.MappedFileQueue:
    """What a master writes is of its present life, old bytes in a blank too."""
    return retell(store.commit_log, start, stores.get_max_physical_offset(store), life)


def fill_file(group: Group) -> Step | None:
    """A message finds no room: the blank before the next file, half of a put (T5-00649)."""
    last = queues.get_last_mapped_file(group.master.log)
    if not can_put(group) or last is None or last.is_full or last.wrote_position_bytes == 0:
        return None
    left = FILE_SIZE - last.wrote_position_bytes
    message = put.MessageToPut("T", 0, body=bytes(min(left, LARGEST_MESSAGE - 92)))
    around = put.PutEnvironment(NOW_MS, epoch=group.life)
    start = group.master.max_offset
    store, filled, _ = put.append_message(group.master.store, last, message, around)
    store = evolve(store, commit_log=queues.replace_file(store.commit_log, last, filled))
    master = change_log(evolve(group.master, store=store), retell_all(store, start, group.life))
    after = evolve(group, master=master, trailing_blank_offset=start)
    return finish("fill", after, (("fill_file",),))


def refuse_message(group: Group) -> Step | None:
    """A message is too large, but the file for it is made before anybody looks.

    Recorded: oversized_put_makes_a_file_440 seq 117 to 120.
    """
    if not can_put(group):
        return None
    message = put.MessageToPut("T", 0, body=bytes(LARGEST_MESSAGE))
    around = put.PutEnvironment(NOW_MS, epoch=group.life)
    store, _ = put.put_message(group.master.store, message, around)
    if len(store.commit_log.mapped_files) == len(group.master.log.mapped_files):
        return None
    master = change_log(evolve(group.master, store=store), store.commit_log)
    after = evolve(group, master=master, trailing_blank_offset=UNKNOWN_OFFSET)
    return finish("refuse_message", after, (("create_master_file",),))


def dispatch_broker(group: Group, who: str) -> Step | None:
    """The dispatcher runs until it rests."""
    broker: Broker = getattr(group, who)
    if not broker.is_up:
        return None
    store = dispatch.dispatch_until_rest(broker.store, NOW_MS)
    after = evolve(group, **{who: evolve(broker, store=store)})
    cursor = find_dispatched(getattr(after, who))
    return finish("dispatch", after, ((f"dispatch_{who}", ""),), dispatched_offset=cursor)


def force(broker: Broker, least_pages: int = 0) -> Broker:
    """One flush, and what it writes to the disk."""
    log, where = broker.log, broker.log.flushed_where_bytes
    file = queues.find_mapped_file_by_offset(log, where, is_first_returned=where == 0)
    flushed, _ = queues.flush(log, least_pages)
    disk = broker.disk
    if file is not None and mapped_file.is_able_to_flush(file, least_pages):
        disk = {**disk, file.file_from_offset_bytes: file.content}
    return evolve(change_log(broker, flushed), disk=disk)


def flush_broker(group: Group, who: str, least_pages: int = 0) -> Step | None:
    """The flush service runs once; it may want a number of new pages."""
    broker: Broker = getattr(group, who)
    if not broker.is_up:
        return None
    after = evolve(group, **{who: force(broker, least_pages)})
    return finish("flush", after, ((f"flush_{who}", f"flush_{who}_too_few_pages", ""),))


def connect(group: Group) -> Group:
    """A new connection: the slave reports, the master sends from there, or from its last file."""
    if not (group.master.is_up and group.slave.is_up):
        return group
    asked, end = group.slave.max_offset, group.master.max_offset
    start = asked or end - end % FILE_SIZE
    link = Link(
        is_open=True,
        has_reported=True,
        reported_offset=asked,
        slave_request_offset=asked,
        slave_ack_offset=asked,
        next_transfer_offset=start,
        transfer_start_offset=start,
        arrived_offset=start,
    )
    return evolve(group, link=link)


def send(group: Group, size: int) -> Group:
    """The master sends more: at most to the end of its file; nothing while it is behind."""
    link, master = group.link, group.master
    begin = link.next_transfer_offset
    is_there = get_begin(master.log) <= begin < master.max_offset
    if not link.is_open or not can_put(group) or not is_there:
        return group
    most = min(master.max_offset, begin - begin % FILE_SIZE + FILE_SIZE) - begin
    return evolve(group, link=evolve(link, next_transfer_offset=begin + min(size, most)))


def is_frame_taken(group: Group) -> bool:
    """HAClient#dispatchReadRequest: the slave has nothing, or ends where the frame begins."""
    return group.slave.max_offset in (0, group.link.arrived_offset)


def append(group: Group, size: int, creation: Creation) -> Step | None:
    """The slave reads a frame (HAClient#dispatchReadRequest), and closes if that is out of step."""
    link, slave = group.link, group.slave
    begin = link.arrived_offset
    size = min(size, link.next_transfer_offset - begin, FILE_SIZE - begin % FILE_SIZE)
    if not link.is_open or not slave.is_up or size < 0:
        return None
    if not is_frame_taken(group):
        return finish("refuse", evolve(group, link=Link()), (("refuse_frame",),))
    if size and get_begin(group.master.log) > begin:
        return None
    frame = cut_master_log(group, begin, begin + size) if size else contents.NOTHING
    store, is_done = slave_append.append_to_commit_log(slave.store, begin, frame, creation, NOW_MS)
    after = evolve(group, slave=evolve(slave, store=store))
    link = evolve(link, arrived_offset=begin + size)
    if is_done:
        is_reported = size > 0 or not slave.log.mapped_files
        end = after.slave.max_offset
        link = evolve(link, reported_offset=end if is_reported else link.reported_offset)
    rules = ("append_to_slave", "append_at_wrong_offset", "fail_file_creation", "discard_frame")
    rolled = ("dispatch_slave", "")
    plan = (rules, rolled) if size else (("create_slave_file", ""),)
    cursor = find_dispatched(after.slave)
    changed = evolve(after, link=link)
    return finish("append", changed, plan, size_bytes=size, dispatched_offset=cursor)


def expire(group: Group, who: str) -> Step | None:
    """Retention deletes all files but the last one, at most ten (``deleteExpiredFileByTime``)."""
    broker: Broker = getattr(group, who)
    if not broker.is_up or len(broker.log.mapped_files) < 2:
        return None
    store, count = expiry.delete_expired_file(broker.store, 0, 0, NOW_MS, is_clean_immediately=True)
    begin = get_begin(store.commit_log)
    message = group.message
    is_gone = message.phase > 0 and get_begin(broker.log) <= message.start_offset < begin
    is_held = is_gone and has_begun(broker, message)
    after = evolve(
        group,
        message=evolve(message, ghost_is_expired=message.ghost_is_expired or is_held),
        **{who: evolve(broker, store=store)},
    )
    rules = MASTER_EXPIRIES if who == "master" else SLAVE_EXPIRIES
    return finish("expire", after, (rules,) * count)


def has_begun(broker: Broker, message: Message) -> bool:
    """The log holds the message's first byte."""
    at = message.start_offset
    first = evolve(message, end_offset=at + 1)
    return has_bytes_of(broker, first)

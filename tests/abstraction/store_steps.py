"""What the store does where a rule says what happens: one function for each rule that moves bytes.

All other rules leave the bytes of both brokers as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import evolve, frozen

from reference.language.machine import Action
from reference.store import allocation, dispatch, expiry, put
from reference.store import content as contents
from reference.store import mapped_file_queue as queues
from reference.store.allocation import Creation
from reference.store.mapped_file import MappedFile
from tests.abstraction import ends, steps
from tests.abstraction.covering import Step
from tests.abstraction.group import (
    FILE_SIZE,
    PAGE_SIZE,
    Broker,
    Group,
    change_log,
)
from tests.reference.store.logs import NOW_MS

Change: TypeAlias = "Callable[[Group, Told], Group]"

HEADER = 92
"""A record without a body and without properties; its topic has one letter."""
PROPERTIES_MIN = 3
LETTERS = "vwxyz"
"""By life: what messages consist of."""


class NotDoneError(Exception):
    """Raised where the store does not do what the rules say."""


@frozen
class Told:
    """What is told of a step: places and numbers of bytes, as large as real records."""

    arguments: Mapping[str, int]
    is_more_left: bool
    """A power loss takes one page only and leaves what is behind it; of a frame whose write fails,
    a quarter of a file is written."""


def require(step: Step | None) -> Group:
    """The group behind a step. Raises NotDoneError where there is none."""
    if step is None:
        raise NotDoneError("the store does nothing")
    return step.after


def make_message(size: int, life: int) -> put.MessageToPut:
    """A message of so many bytes, most of them properties; another one in each life."""
    length = size - HEADER
    if length < PROPERTIES_MIN:
        raise NotDoneError(f"no record has {size} bytes")
    properties = f"k\x01{LETTERS[life] * (length - PROPERTIES_MIN)}\x02"
    return put.MessageToPut("T", 0, body=b"", properties=properties)


def append(*, is_followed: bool) -> Change:
    """A message is put, behind no blank of its own."""

    def do(group: Group, told: Told) -> Group:
        message = make_message(told.arguments["size_bytes"], group.life)
        return require(steps.put_message(group, message, is_followed=is_followed))

    return do


def append_frame(creation: Creation) -> Change:
    """A frame arrives."""

    def do(group: Group, told: Told) -> Group:
        rested = evolve(group, slave=make_files(group.slave, creation))
        return require(steps.append(rested, told.arguments.get("size_bytes", 0), creation))

    return do


def make_files(broker: Broker, creation: Creation) -> Broker:
    """The thread that makes files has had time since the last frame."""
    store = broker.store
    log, service = allocation.run(store.commit_log, store.allocation, creation, NOW_MS)
    return evolve(broker, store=evolve(store, commit_log=log, allocation=service))


def swallow_frame(group: Group, told: Told) -> Group:
    """``FileChannel#write`` fails, which is logged; the position moves (``MappedFile``)."""
    end = group.slave.max_offset
    after = append_frame(Creation.POSSIBLE)(group, told)
    log = after.slave.log
    last = log.mapped_files[-1]
    begin = max(end, last.file_from_offset_bytes) - last.file_from_offset_bytes
    size = told.arguments["size_bytes"]
    written = min(size, FILE_SIZE // 4) if told.is_more_left else 0
    zeros = contents.create_zeros(size - written)
    unwritten = contents.write(last.content, begin + written, zeros)
    log = queues.replace_file(log, last, evolve(last, content=unwritten))
    return evolve(after, slave=change_log(after.slave, log))


def dispatch_to(who: str) -> Change:
    """The dispatcher runs, no further than is told: the log ends there for it."""

    def do(group: Group, told: Told) -> Group:
        broker: Broker = getattr(group, who)
        end = told.arguments["dispatched_offset"]
        shown = cut_log(broker, end)
        store = dispatch.dispatch_until_rest(shown.store, NOW_MS)
        after = change_log(evolve(broker, store=store), broker.log)
        return steps.mark(evolve(group, **{who: after}))

    return do


def cut_log(broker: Broker, end: int) -> Broker:
    """The broker when its log ended at an offset: its files behind it are not there."""
    files = []
    for file in broker.log.mapped_files:
        base = file.file_from_offset_bytes
        if base <= end:
            wrote = min(file.wrote_position_bytes, end - base)
            files.append(evolve(file, wrote_position_bytes=wrote))
    return change_log(broker, evolve(broker.log, mapped_files=tuple(files)))


def flush_nothing(group: Group, told: Told) -> Group:
    """``force`` fails, which is logged; the position moves (``MappedFile#flush``)."""
    flushed = steps.force(group.master)
    return evolve(group, master=evolve(flushed, disk=group.master.disk))


def expire_one(who: str) -> Change:
    """Retention finds the first file old, and no other one."""

    def do(group: Group, told: Told) -> Group:
        broker: Broker = getattr(group, who)
        log = broker.log
        first, *others = log.mapped_files
        aged = (
            evolve(first, last_modified_ms=0),
            *(evolve(f, last_modified_ms=NOW_MS) for f in others),
        )
        store = evolve(broker.store, commit_log=evolve(log, mapped_files=aged))
        store, count = expiry.delete_expired_file(
            store, NOW_MS, 0, NOW_MS, is_clean_immediately=False
        )
        if count != 1:
            raise NotDoneError(f"{count} files are deleted")
        return evolve(group, **{who: evolve(broker, store=store)})

    return do


def choose_pages(told: Told) -> int:
    """The pages behind the kept bytes that a power loss leaves: none, or all but the first."""
    return ~(1 << (told.arguments["kept_offset"] // PAGE_SIZE)) if told.is_more_left else 0


def lose_master_power(group: Group, told: Told) -> Group:
    """The disk's bytes stay, and of the others so many; a broker that starts finds its log."""
    kept = told.arguments["kept_offset"]
    return stop(require(ends.lose_master_power(group, kept, choose_pages(told))), "master")


def lose_slave_power(group: Group, told: Told) -> Group:
    """The same of a slave."""
    kept = told.arguments["kept_offset"]
    return stop(require(ends.lose_slave_power(group, kept, choose_pages(told))), "slave")


def stop(group: Group, who: str) -> Group:
    """What starting makes of the bytes is known; the broker does not start yet."""
    return evolve(group, **{who: evolve(getattr(group, who), is_up=False)})


def restart_before_next_file(group: Group, told: Told) -> Group:
    """A master's end came before the thread that makes files had made the next one."""
    store = evolve(group.master.store, allocation=allocation.AllocateMappedFileService())
    return require(ends.restart_master(evolve(group, master=evolve(group.master, store=store))))


def lose_disk(group: Group, told: Told) -> Group:
    """An empty disk in place of the old one."""
    return stop(require(ends.lose_master_disk(group)), "master")


def of(make: Callable[..., Step | None], *facts: object, **more: object) -> Change:
    """A step that is told nothing but of whom it is."""
    return lambda group, told: require(make(group, *facts, **more))


def finish_stop(who: str) -> Change:
    """The dispatcher has gone as far as it had."""
    return of(ends.finish_stop, who, is_dispatched=False)


STORE_STEPS: dict[str, Change] = {
    "append_message": append(is_followed=True),
    "append_other_message": append(is_followed=False),
    "send_again": append(is_followed=False),
    "fill_file": of(steps.fill_file),
    "create_master_file": of(steps.refuse_message),
    "append_to_slave": append_frame(Creation.POSSIBLE),
    "append_at_wrong_offset": append_frame(Creation.POSSIBLE),
    "create_slave_file": append_frame(Creation.POSSIBLE),
    "fail_file_creation": append_frame(Creation.NOTHING),
    "discard_frame": append_frame(Creation.POSSIBLE),
    "refuse_frame": append_frame(Creation.POSSIBLE),
    "dispatch_master": dispatch_to("master"),
    "dispatch_slave": dispatch_to("slave"),
    "flush_master": of(steps.flush_broker, "master"),
    "flush_slave": of(steps.flush_broker, "slave"),
    "flush_master_too_few_pages": of(steps.flush_broker, "master", steps.FLUSH_LEAST_PAGES),
    "flush_slave_too_few_pages": of(steps.flush_broker, "slave", steps.FLUSH_LEAST_PAGES),
    "flush_for_put": of(steps.flush_broker, "master"),
    "swallow_append_error": swallow_frame,
    "swallow_flush_error": flush_nothing,
    "expire_master_file": expire_one("master"),
    "expire_uncopied_master_file": expire_one("master"),
    "delete_young_master_file": expire_one("master"),
    "expire_slave_file": expire_one("slave"),
    "delete_young_slave_file": expire_one("slave"),
    "kill_master": of(ends.kill, "master"),
    "kill_slave": of(ends.kill, "slave"),
    "begin_master_stop": of(ends.begin_stop, "master"),
    "begin_slave_stop": of(ends.begin_stop, "slave"),
    "finish_master_stop": finish_stop("master"),
    "finish_slave_stop": finish_stop("slave"),
    "lose_master_power": lose_master_power,
    "lose_master_power_in_record": lose_master_power,
    "lose_slave_power": lose_slave_power,
    "lose_master_disk": lose_disk,
    "wipe_slave": of(ends.wipe_slave),
    **dict.fromkeys(steps.MASTER_STARTS, of(ends.restart_master)),
    **dict.fromkeys(steps.SLAVE_STARTS, of(ends.restart_slave)),
    "restart_master_without_blank": restart_before_next_file,
}
"""By rule."""
FRAMES = ("append_to_slave", "append_at_wrong_offset", "swallow_append_error")
"""Rules by which a slave stores what is in flight."""
LOSSES = {
    "lose_master_power": "master",
    "lose_master_power_in_record": "master",
    "lose_master_disk": "master",
    "lose_slave_power": "slave",
}
"""Rules behind which it is known already what the next start finds, and whose."""
STARTS = {
    **dict.fromkeys(steps.MASTER_STARTS, "master"),
    **dict.fromkeys(steps.SLAVE_STARTS, "slave"),
}
"""Rules that start a broker."""


@frozen
class Bytes:
    """Both brokers in bytes, and what else is known of them."""

    group: Group
    recovered: frozenset[str] = frozenset()
    """Brokers that are down, and of which it is known what the next start finds."""
    deleted: tuple[MappedFile, ...] = ()
    """Files that the master had when it sent what is still in flight."""


def apply(now: Bytes, change: Change, told: Told) -> Group:
    """A change; what is in flight has been read before its file was deleted."""
    master = now.group.master
    files = (*now.deleted, *master.log.mapped_files)
    reading = change_log(master, evolve(master.log, mapped_files=files))
    return evolve(change(evolve(now.group, master=reading), told), master=master)


def list_deleted(now: Bytes, after: Group) -> tuple[MappedFile, ...]:
    """The master's files that retention has taken, those of before included."""
    left = {file.name for file in after.master.log.mapped_files}
    gone = (f for f in now.group.master.log.mapped_files if f.name not in left)
    return (*now.deleted, *gone)


def take_step(now: Bytes, action: Action, *, is_more_left: bool) -> Bytes:
    """What a rule says, done by the store. Raises NotDoneError."""
    group, recovered, name = now.group, now.recovered, action.rule_name
    who = STARTS.get(name)
    if who in recovered:
        started = evolve(getattr(group, who), is_up=True)
        return Bytes(evolve(group, **{who: started}), recovered - {who})
    told, deleted = Told(action.arguments, is_more_left), now.deleted
    try:
        if name in FRAMES:
            group = apply(now, STORE_STEPS[name], told)
        elif name in STORE_STEPS:
            group = STORE_STEPS[name](group, told)
    except NotDoneError as error:
        raise NotDoneError(f"{action}: {error}") from error
    if name in LOSSES:
        recovered |= {LOSSES[name]}
    if name in steps.MASTER_EXPIRIES:
        deleted = list_deleted(now, group)
    return Bytes(group, recovered, deleted)

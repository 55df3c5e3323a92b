"""How brokers end and come back, in bytes: kills, stops in order, power losses, restarts."""

from __future__ import annotations

from attrs import evolve

from reference.store import content as contents
from reference.store import dispatch
from reference.store import store as stores
from reference.store.content import Content
from reference.store.mapped_file_queue import MappedFileQueue
from reference.worlds.replication.state import UNKNOWN_OFFSET, Link
from tests.abstraction.covering import Step
from tests.abstraction.forgetting import find_dispatched
from tests.abstraction.group import (
    FILE_SIZE,
    MASTER,
    PAGE_SIZE,
    SLAVE,
    Broker,
    Group,
    get_begin,
    retell,
    start_empty,
)
from tests.abstraction.steps import (
    FOUND_FILE,
    MASTER_STARTS,
    SLAVE_STARTS,
    finish,
    force,
    has_begun,
)
from tests.reference.store.logs import NOW_MS, load

FLUSHES_MAX = 11


def kill(group: Group, who: str) -> Step | None:
    """The process is gone; the page cache is not."""
    broker: Broker = getattr(group, who)
    if not broker.is_up:
        return None
    ended = evolve(broker, is_up=False, is_stopping=False)
    after = evolve(group, link=Link(), **{who: ended})
    return finish("kill", after, ((f"kill_{who}",),))


def begin_stop(group: Group, who: str) -> Step | None:
    """A stop in order begins."""
    broker: Broker = getattr(group, who)
    if not broker.is_up or broker.is_stopping:
        return None
    stopping = evolve(broker, is_stopping=True, store=stores.begin_shutdown(broker.store))
    return finish("begin_stop", evolve(group, **{who: stopping}), ((f"begin_{who}_stop",),))


def finish_stop(group: Group, who: str, *, is_dispatched: bool) -> Step | None:
    """It ends; the dispatcher comes to rest before, or not."""
    broker: Broker = getattr(group, who)
    if not broker.is_stopping:
        return None
    store = broker.store
    if is_dispatched:
        store = dispatch.dispatch_until_rest(store, NOW_MS)
    forced = evolve(broker, store=store)
    for _ in range(FLUSHES_MAX):
        forced = force(forced)
    stopped = evolve(forced, store=stores.finish_shutdown(store), is_up=False, is_stopping=False)
    after = evolve(group, link=Link(), **{who: stopped})
    plan = ((f"dispatch_{who}", ""), (f"finish_{who}_stop",))
    return finish("stop", after, plan, dispatched_offset=find_dispatched(stopped))


def reload(broker: Broker) -> Broker:
    """A new process over what is in the folder."""
    loaded = load(stores.leave_to_next_process(broker.store))
    return evolve(broker, store=stores.start(loaded), is_up=True, is_stopping=False)


def restart_slave(group: Group) -> Step | None:
    """A slave starts again."""
    if group.slave.is_up:
        return None
    after = evolve(group, slave=reload(group.slave), link=Link())
    return finish("restart", after, (SLAVE_STARTS,), recovered_offset=after.slave.max_offset)


def restart_master(group: Group) -> Step | None:
    """A master starts again; a blank that it cuts begins a new life of its log.

    Old bytes that are records once more are of the present life: they are at places where no other
    byte of it was.
    """
    if group.master.is_up:
        return None
    old, master = group.master.max_offset, reload(group.master)
    life = group.life + (master.max_offset < old)
    log = retell(master.log, old, master.max_offset, life)
    master = evolve(master, store=evolve(master.store, commit_log=log))
    blank = UNKNOWN_OFFSET
    after = evolve(group, master=master, life=life, link=Link(), trailing_blank_offset=blank)
    return finish("restart", after, (MASTER_STARTS, FOUND_FILE), recovered_offset=master.max_offset)


def mix(cached: Content, disk: Content, base: int, kept: int, pages: int) -> Content:
    """What a power loss leaves of a file: the page cache up to an offset, and some pages."""
    result = disk
    for begin in range(0, len(cached), PAGE_SIZE):
        end = begin + PAGE_SIZE
        is_kept = base + begin >= kept and pages >> ((base + begin) // PAGE_SIZE % 61) & 1
        most = end if is_kept else min(end, max(begin, kept - base))
        result = contents.write(result, begin, contents.cut(cached, begin, most))
    return result


def lose_pages(broker: Broker, kept: int, pages: int, *, are_files_lost: bool = False) -> Broker:
    """The machine loses power: of what is not on disk, a prefix stays, and any pages behind it.

    A file of which nothing was forced stays, with zeros, or is not there.
    """
    left, disk = [], {}
    for file in broker.log.mapped_files:
        base = file.file_from_offset_bytes
        forced = broker.disk.get(base, contents.create_zeros(FILE_SIZE))
        if are_files_lost and base not in broker.disk and base >= kept:
            continue
        disk[base] = mix(file.content, forced, base, kept, pages)
        left.append(evolve(file, content=disk[base]))
    log = evolve(broker.log, mapped_files=tuple(left))
    store = evolve(broker.store, commit_log=log)
    if are_files_lost:
        store = evolve(store, allocation=type(store.allocation)())
    return evolve(broker, store=store, disk=disk)


def find_first_difference(one: MappedFileQueue, other: MappedFileQueue, end: int) -> int:
    """The first offset at which two logs differ, before an end."""
    begin = get_begin(one)
    pairs = zip(list_all(one), list_all(other), strict=False)
    differing = (begin + i for i, (a, b) in enumerate(pairs) if a != b)
    return min(next(differing, end), end)


def list_all(log: MappedFileQueue) -> list[contents.Origin | None]:
    """The origin of each byte of its files, written or not."""
    return [told for file in log.mapped_files for told in contents.list_origins(file.content)]


def lose_slave_power(
    group: Group, kept: int, pages: int, *, are_files_lost: bool = False
) -> Step | None:
    """A slave's machine loses power, and its broker starts again."""
    if not group.slave.is_up:
        return None
    lost = lose_pages(group.slave, kept, pages, are_files_lost=are_files_lost)
    slave = reload(lost)
    first = find_first_difference(group.slave.log, slave.log, group.slave.max_offset)
    after = evolve(group, slave=slave, link=Link())
    plan = (("lose_slave_power",), SLAVE_STARTS)
    end = slave.max_offset
    return finish("power", after, plan, kept_offset=first, recovered_offset=end)


def lose_master_power(
    group: Group, kept: int, pages: int, *, are_files_lost: bool = False
) -> Step | None:
    """A master's machine loses power, and its broker starts again, in a new life of its log.

    What follows the first byte that is not the old one is of the new life, by definition; from the
    begin of the followed message, if that is torn.
    """
    master, message = group.master, group.message
    if not master.is_up:
        return None
    lost = reload(lose_pages(master, kept, pages, are_files_lost=are_files_lost))
    end, life = lost.max_offset, group.life + 1
    first = find_first_difference(master.log, lost.log, min(end, master.max_offset))
    kept_end = first
    is_torn = message.start_offset < first < message.end_offset
    if is_torn and has_begun(master, message):
        first = message.start_offset
    log = retell(lost.log, first, end, life)
    lost = evolve(lost, store=evolve(lost.store, commit_log=log))
    disk = {f.file_from_offset_bytes: f.content for f in log.mapped_files}
    after = evolve(
        group,
        master=evolve(lost, disk=disk),
        life=life,
        link=Link(),
        trailing_blank_offset=UNKNOWN_OFFSET,
    )
    plan = (("lose_master_power", "lose_master_power_in_record"), MASTER_STARTS, FOUND_FILE)
    hints = {
        "kept_offset": frozenset({kept_end, first, kept, end}),
        "reached_offset": frozenset({end}),
    }
    step = finish("power", after, plan, recovered_offset=end)
    return evolve(step, hints={**step.hints, **hints})


def lose_master_disk(group: Group) -> Step | None:
    """A master's disk is lost, and its broker starts again with an empty one."""
    if not group.master.is_up:
        return None
    after = evolve(
        group,
        master=start_empty(MASTER),
        life=group.life + 1,
        link=Link(),
        trailing_blank_offset=UNKNOWN_OFFSET,
    )
    return finish("disk", after, (("lose_master_disk",), MASTER_STARTS, FOUND_FILE))


def wipe_slave(group: Group) -> Step | None:
    """The folder of a slave that is down is emptied."""
    if group.slave.is_up:
        return None
    wiped = Broker(stores.create_store(SLAVE), is_up=False)
    return finish("wipe", evolve(group, slave=wiped, link=Link()), (("wipe_slave",),))

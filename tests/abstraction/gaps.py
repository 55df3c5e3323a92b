"""Steps of bytes that no rule allows, by name: each is told, counted, and has an example."""

from __future__ import annotations

from reference.store import allocation
from reference.store.mapped_file import name_file
from reference.store.store import Flag
from reference.worlds.replication.state import UNKNOWN_OFFSET
from tests.abstraction.covering import Step
from tests.abstraction.ends import find_first_difference
from tests.abstraction.forgetting import find_boundaries, find_last_file
from tests.abstraction.group import FILE_SIZE, Broker, Group, get_begin, list_written

GAPS = {
    "blank kept by the next file": (
        "a master ends behind a blank whose next file was made in advance: recovery keeps the"
        " blank, and the log ends where the next file begins (T1-09848)"
    ),
    "first file made in advance": (
        "a slave without a file finds one when it starts that was made for it and refused"
    ),
    "first file at a frame inside it": (
        "a heartbeat behind thrown frames makes the file that its offset lies in, not one there"
    ),
    "cursor jumps to the first file": (
        "a dispatcher at 0 moves to the first file though no whole record is there"
    ),
    "queues that cannot be written": (
        "a topic with a NUL marks the queues as broken (T1-00385), and a stop leaves the abort file"
    ),
    "expiry of the last bytes": (
        "where an empty file follows, the file that holds the last bytes expires too"
    ),
    "record of two lives": (
        "a slave holds the head of a record that its master lost, and other bytes behind it: where"
        " the seam lies in the properties, recovery takes the mixture for whole"
    ),
    "record torn by its master": (
        "a master's power loss tears a record and takes it for whole: to the model its last bytes"
        " begin a life, so a slave that holds its first bytes is not allowed to end behind them"
    ),
    "seam below the master's first file": (
        "the master's first file with the seam has expired, the slave's has not: its recovery still"
        " stops at the seam, far below its last file"
    ),
    "pages of a later file": (
        "a slave's power loss takes a page of an early file and leaves some of a later one:"
        " recovery goes on beyond the early file's end, or leaves its bytes behind the log's end"
    ),
}
"""What each gap is."""


def has_early_file(broker: Broker) -> bool:
    """A file lies in the folder that is not the one behind the log's last file."""
    made = allocation.list_disk_files(broker.store.allocation)
    last = broker.log.mapped_files[-1:]
    later = {name_file(file.end_offset_bytes) for file in last}
    return bool({file.name for file in made} - later)


def has_record_of_two_lives(before: Group, after: Group) -> bool:
    """Inside a record of the slave's log, the life changes."""
    log = after.slave.log
    seams = find_seams(before.slave)
    return before.slave is not after.slave and bool(seams - set(find_boundaries(log)))


def find_seams(broker: Broker) -> set[int]:
    """Where the life changes in a log."""
    begin, origins = get_begin(broker.log), list_written(broker.log)
    lives = [origin[0] if isinstance(origin, tuple) else None for origin in origins]
    pairs = zip(lives, lives[1:], strict=False)
    return {
        begin + i
        for i, (one, two) in enumerate(pairs, 1)
        if one is not None and two is not None and one != two
    }


def is_record_torn_by_master(before: Group, after: Group) -> bool:
    """In the master's log, a life begins inside the record at which the slave's log ends."""
    if before.slave is after.slave:
        return False
    end = after.slave.max_offset
    inside = find_seams(before.master) - set(find_boundaries(before.master.log))
    return any(before.slave.max_offset <= seam < end for seam in inside)


def has_seam_below_master(before: Group, after: Group) -> bool:
    """A seam lies in the slave's log where its master's log has expired."""
    begin = get_begin(before.master.log)
    is_there = any(seam < begin for seam in find_seams(before.slave))
    return before.slave is not after.slave and is_there


def is_later_file_left(before: Group, after: Group) -> bool:
    """The first byte that a slave's power loss took lies before its last file."""
    if before.slave is after.slave or len(before.slave.log.mapped_files) < 2:
        return False
    end = before.slave.max_offset
    first = find_first_difference(before.slave.log, after.slave.log, end)
    return first < before.slave.log.mapped_files[-1].file_from_offset_bytes


def find_gap(before: Group, step: Step) -> str | None:
    """The gap that a step which no rule allows is an example of; None: it is a new one."""
    slave, master = before.slave, before.master
    starts = step.name in ("restart", "power")
    if starts and before.trailing_blank_offset != UNKNOWN_OFFSET:
        is_kept = step.after.master.max_offset == master.max_offset
        return "blank kept by the next file" if is_kept else None
    if starts and has_early_file(slave):
        return "first file made in advance"
    if step.name in ("restart", "power") and has_seam_below_master(before, step.after):
        return "seam below the master's first file"
    if step.name in ("restart", "power") and has_record_of_two_lives(before, step.after):
        return "record of two lives"
    if step.name in ("restart", "power") and is_record_torn_by_master(before, step.after):
        return "record torn by its master"
    if step.name == "power" and is_later_file_left(before, step.after):
        return "pages of a later file"
    if step.name == "append" and not slave.log.mapped_files:
        is_inside = before.link.arrived_offset % FILE_SIZE > 0
        return "first file at a frame inside it" if is_inside else None
    if step.name == "dispatch" and slave.store.reput_from_offset_bytes == 0:
        cursor = step.after.slave.store.reput_from_offset_bytes
        is_moved = cursor == slave.log.mapped_files[0].file_from_offset_bytes > 0
        return "cursor jumps to the first file" if is_moved else None
    if step.name == "stop":
        flags = slave.store.running_flags | master.store.running_flags
        is_broken = Flag.WRITE_LOGICS_QUEUE_ERROR in flags
        return "queues that cannot be written" if is_broken else None
    if step.name == "expire":
        logs = (master.log, slave.log)
        is_empty = any(
            log.mapped_files and find_last_file(log) < log.mapped_files[-1].file_from_offset_bytes
            for log in logs
        )
        return "expiry of the last bytes" if is_empty else None
    return None

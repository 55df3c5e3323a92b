"""Steps of bytes that no rule allows, by name: each is told, counted, and has an example."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from reference.store import allocation
from reference.store.mapped_file import name_file
from reference.store.store import Flag
from tests.abstraction.covering import Step
from tests.abstraction.ends import find_first_difference
from tests.abstraction.forgetting import find_boundaries
from tests.abstraction.group import Broker, Group, get_begin, list_written

GAPS = {
    "first file made in advance": (
        "a slave finds a file when it starts that was made for it and refused; where its log begins"
        " in a later one, it ends in the empty one and loses all"
    ),
    "queues that cannot be written": (
        "a topic with a NUL marks the queues as broken (T1-00385), and a stop leaves the abort file"
    ),
    "record of two lives": (
        "a slave holds the head of a record that its master lost, and other bytes behind it: where"
        " the seam lies in the properties, its dispatch takes the mixture for whole"
    ),
    "file gone with its name": (
        "a power loss within seconds of a file's making takes the file itself; where that was the"
        " only one the log has none, and ends at 0"
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
    pairs = itertools.pairwise(lives)
    return {
        begin + i
        for i, (one, two) in enumerate(pairs, 1)
        if one is not None and two is not None and one != two
    }


def is_file_gone(before: Group, after: Group) -> bool:
    """A broker had a file before its power loss and has none behind it."""
    pairs = ((before.master, after.master), (before.slave, after.slave))
    return any(one.log.mapped_files and not two.log.mapped_files for one, two in pairs)


def is_later_file_left(before: Group, after: Group) -> bool:
    """The first byte that a slave's power loss took lies before its last file."""
    if before.slave is after.slave or len(before.slave.log.mapped_files) < 2:
        return False
    end = before.slave.max_offset
    first = find_first_difference(before.slave.log, after.slave.log, end)
    return first < before.slave.log.mapped_files[-1].file_from_offset_bytes


def are_queues_broken(before: Group, step: Step) -> bool:
    """Some broker must not write its queues."""
    stores = (before.slave.store, before.master.store)
    return any(Flag.WRITE_LOGICS_QUEUE_ERROR in store.running_flags for store in stores)


STARTS = ("restart", "power")
SIGNS: dict[str, tuple[tuple[str, ...], Callable[[Group, Step], bool]]] = {
    "file gone with its name": (("power",), lambda b, s: is_file_gone(b, s.after)),
    "first file made in advance": (STARTS, lambda b, s: has_early_file(b.slave)),
    "record of two lives": (("dispatch", "stop"), lambda b, s: has_record_of_two_lives(b, s.after)),
    "pages of a later file": (("power",), lambda b, s: is_later_file_left(b, s.after)),
    "queues that cannot be written": (("stop",), are_queues_broken),
}
"""How a gap is known again: the steps in which it shows, and what is so then."""


def find_gap(before: Group, step: Step) -> str | None:
    """The gap that a step which no rule allows is an example of; None: it is a new one."""
    signs = SIGNS.items()
    found = (name for name, (steps, is_so) in signs if step.name in steps and is_so(before, step))
    return next(found, None)

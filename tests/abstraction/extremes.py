"""Which ends of the ranges of arguments are reached by bytes, and which are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from reference.language.machine import Action
from reference.language.rule import Argument
from reference.worlds.replication.state import Cluster
from tests.abstraction import ends, steps
from tests.abstraction.covering import MACHINE, Found, walk
from tests.abstraction.forgetting import forget, list_misses
from tests.abstraction.gap_examples import History


@frozen
class Reached:
    """A value of an argument that a step of bytes has, and the range that the rule gives it."""

    rule: str
    argument: str
    value: int
    low: int
    high: int


def list_reached(history: History) -> Iterator[Reached]:
    """The arguments of all rules that may be a history's last step."""
    assert history.step is not None
    begin = Found(forget(history.before), ())
    for found in walk(MACHINE, begin, history.step, is_whole=False):
        if list_misses(found.cluster, history.step.after):
            continue
        cluster = begin.cluster
        for action in found.actions:
            for one in list_ranges(action, cluster) if action.arguments else ():
                value = action.arguments[one.name]
                yield Reached(action.rule_name, one.name, value, one.low, one.high)
            cluster = MACHINE.step(cluster, action).cluster


def list_ranges(action: Action, cluster: Cluster) -> list[Argument]:
    """The range of each argument, where those before it have their values."""
    asked = MACHINE.instances[action.instance].start(cluster)
    next(asked)
    return [asked.send(value) for value in (None, *list(action.arguments.values())[:-1])]


def cut_inside() -> History:
    """A slave holds 160 of 200 bytes, and not all of the body."""
    return History().put(200).copy(160).reopen_slave()


def cut_behind_record() -> History:
    """A slave holds a record and nothing behind it."""
    return History().put(200).copy(200).reopen_slave()


def cut_in_second_file() -> History:
    """A slave holds a file, and of the next one only a record in part."""
    return History().put(300).copy().put(300).copy().copy(50).reopen_slave()


def cut_at_seam() -> History:
    """A slave of two files, whose first one has a seam inside a record's body."""
    mixed = History().put(222).copy(57).do(ends.lose_master_power, 0, 0).put(142).copy(85)
    return mixed.put(500).copy().copy().reopen_slave()


def lack_one_byte() -> History:
    """The last byte of the properties is missing; the master has more records."""
    return History().put(200, 60).put(200).copy(199).reopen_slave()


def lack_all_but_one() -> History:
    """The master ends with a record whose properties are missing."""
    return History().put(200, 60).copy(140).reopen_slave()


def lack_blank() -> History:
    """Eight bytes of a blank; the master has lost it, and the file behind it is made."""
    torn = History().put(100).copy().do(steps.fill_file).copy(8)
    return torn.do(ends.lose_master_power, 0, 0).reopen_slave()


def read_on_in_stale_bytes() -> History:
    """A hole in the first of two records is filled; the second one was there all the time."""
    torn = History().put(200).put(200).copy(400).do(ends.lose_slave_power, 96, ~(1 << 3))
    return torn.copy(200).reopen_slave()


def lack_one_byte_of_old_life() -> History:
    """Of a new record the last byte is missing; an older byte stands in its place."""
    old = History().put(200).copy(200).do(ends.lose_slave_power, 96, ~(1 << 3))
    old.do(ends.lose_master_power, 0, 0)
    return old.put(150, 40).copy(149).reopen_slave()


def read_old_record() -> History:
    """Behind a new record, an older one."""
    old = History().put(200).put(200).copy(400).do(ends.lose_slave_power, 0, ~1)
    return old.do(ends.lose_master_power, 0, 0).put(200).copy(200).reopen_slave()


def lose_page_before_blank() -> History:
    """In a later life, a slave loses a page before a blank; the next file is there."""
    lost = History().put(200).do(ends.lose_master_power, 0, 0)
    lost.put(200, 100).copy().do(steps.fill_file).copy()
    return lost.do(ends.lose_slave_power, 128, ~(1 << 4))


def flush_late_slave(least_pages: int) -> History:
    """A slave whose log begins with the second file flushes what it has of that, if enough is."""
    joined = History().put(400).put(300).copy(50)
    return joined.do(steps.flush_broker, "slave", least_pages)


def flush_full_late_slave(least_pages: int) -> History:
    """The same with a second file that is full: so much is new, whatever number is asked for."""
    joined = History().put(400).put(300).do(steps.fill_file).copy()
    return joined.do(steps.flush_broker, "slave", least_pages)


def write_before_stale_record(length: int) -> Callable[[], History]:
    """A master writes a record that ends where an old one begins, which ends at a place."""

    def make() -> History:
        torn = History().put(100).put(length - 100).do(ends.lose_master_power, 0, ~1)
        return torn.put(100).do(ends.kill, "master").do(ends.restart_master)

    return make


def lose_last_byte() -> History:
    """A master's disk lacks the last byte of its last record's properties."""
    return History().put(200, 60).do(ends.lose_master_power, 199, 0)


def lose_nothing_of_blank() -> History:
    """A master's disk has all of a blank, and the next file is there."""
    return History().put(200).do(steps.fill_file).do(ends.lose_master_power, 512, 0)


def lose_page_of_properties() -> History:
    """A master's disk lacks a page of properties, and nothing behind it."""
    return History().put(200, 100).put(200).do(ends.lose_master_power, 128, ~(1 << 4))


def lose_page_of_first_file() -> History:
    """The same in the first of two files: what is in the second one is live again."""
    put = History().put(200, 100).put(200).put(200)
    return put.do(ends.lose_master_power, 128, ~(1 << 4))


def lose_length_of_properties() -> History:
    """The smallest record of which something can be missing: its last two bytes are zeros."""
    return History().put(92).put(100).do(ends.lose_master_power, 90, ~(1 << 2))


def lose_all() -> History:
    """A master's disk has nothing."""
    return History().put(200).do(ends.lose_master_power, 0, 0)


def lose_nothing() -> History:
    """A master's disk has everything."""
    return History().put(200).do(ends.lose_master_power, 200, 0)


def lose_all_of_slave() -> History:
    """A slave's disk has nothing."""
    return History().put(200).copy().do(ends.lose_slave_power, 0, 0)


def lose_nothing_of_slave() -> History:
    """A slave's disk has everything."""
    return History().put(200).copy().do(ends.lose_slave_power, 200, 0)


def copy_bytes(size: int) -> Callable[[], History]:
    """A frame of a size."""
    return lambda: History().put(200).copy(size)


def copy_to_wrong_place(size: int) -> Callable[[], History]:
    """A first frame was thrown away, the next one lands at its file's begin."""

    def make() -> History:
        thrown = History().put(200).copy(100, steps.Creation.NOTHING)
        thrown.copy(0)
        return thrown.copy(size)

    return make


def put_bytes(size: int, *, is_followed: bool) -> Callable[[], History]:
    """A message of a size."""
    return lambda: History().put(size, is_followed=is_followed)


def dispatch_bytes(size: int) -> Callable[[], History]:
    """A message of a size is dispatched."""
    return lambda: History().put(size).do(steps.dispatch_broker, "master")


def dispatch_slave_bytes(size: int) -> Callable[[], History]:
    """The same by a slave."""
    return lambda: History().put(size).copy().do(steps.dispatch_broker, "slave")

"""What goes over the wire in a schedule, found in the differences between its states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from attrs import evolve, field, frozen, mutable

from properties.schedules.judgement import JudgedStep
from reference.worlds.delay.state import MASTER as DELAY_MASTER
from reference.worlds.delay.state import SLAVE as DELAY_SLAVE
from reference.worlds.replication.state import ANSWERED, REFUSED, UNKNOWN_OFFSET, Link
from reference.worlds.system.state import get_cluster

PRODUCER, MASTER, FIRST_SLAVE = range(3)
"""Lanes of replication."""


@frozen
class Arrow:
    """Something that is sent by one node and arrives at another one, or is lost on the way."""

    sender: int
    """A lane, from 0."""
    receiver: int
    sent_step: int
    """The number of the step that sends it, from 1."""
    arrived_step: int
    """The number of the step that reads it, or of its loss if it never arrives."""
    label: str = ""
    is_lost: bool = False


def list_arrows(begin: Any, steps: Sequence[JudgedStep]) -> tuple[Arrow, ...]:
    """Every arrow of a schedule, by the world of its first state; none where none is known."""
    find_arrows = ARROWS.get(begin.structure.world.name)
    return () if find_arrows is None else tuple(find_arrows(steps))


def find_arrows_of_replication(steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """Connects, reports, frames, puts and answers."""
    for number in range(len(steps[0].cluster.links)):
        yield from follow_link(number, steps)
    yield from follow_puts(steps)


def find_arrows_of_system(steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """Those of its log: the first lanes are the same; pulls would cross other lanes."""
    yield from find_arrows_of_replication(
        [evolve(s, cluster=get_cluster(s.cluster)) for s in steps]
    )


def find_arrows_of_tables(steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """Questions for tables, and answers."""
    for step in steps[1:]:
        yield from follow_copy(step)


def find_arrows_of_delay(steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """What a slave gets from its master."""
    for step in steps[1:]:
        if step.action and step.action.rule_name in COPIED_WITH_DELAY:
            yield Arrow(DELAY_MASTER, DELAY_SLAVE, step.index, step.index)


ARROWS: Mapping[str, Callable[[Sequence[JudgedStep]], Iterator[Arrow]]] = {
    "replication": find_arrows_of_replication,
    "system": find_arrows_of_system,
    "tables": find_arrows_of_tables,
    "delay": find_arrows_of_delay,
}
"""The function that finds the arrows of each world; other worlds have none."""


COPIED_WITH_DELAY = frozenset({"replicate_delayed_message", "replicate_copy", "copy_progress"})
"""Rules of delayed delivery in which a slave gets something from its master."""


def follow_copy(step: JudgedStep) -> Iterator[Arrow]:
    """A slave's request for a table and its answer; none if it copies from itself."""
    if step.action is None or step.action.rule_name not in ("begin_copy", "finish_answer"):
        return
    slave = step.action.index
    assert slave is not None
    source = step.cluster.brokers[slave].copy.source
    is_question = step.action.rule_name == "begin_copy"
    sender, receiver = (slave, source) if is_question else (source, slave)
    if sender != receiver:
        yield Arrow(sender, receiver, step.index, step.index)


@mutable
class _Wire:
    """Bytes under way on one connection: sender, step, and the offset at their end."""

    reports: list[tuple[int, int]] = field(factory=list)
    frames: list[tuple[int, int]] = field(factory=list)


def follow_link(number: int, steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """Connects, reports and frames of one slave's connection."""
    wire, slave = _Wire(), FIRST_SLAVE + number
    for before, after in pairwise(steps):
        old, new, step = before.cluster.links[number], after.cluster.links[number], after.index
        if new.is_open and not old.is_open:
            yield Arrow(slave, MASTER, step, step, "connect")
        if after.action is not None and after.action.instance == f"create_slave_file[{number}]":
            yield Arrow(MASTER, slave, step, step, "heartbeat")
        yield from _take_report(wire, slave, old, new, step)
        yield from _take_frame(wire, slave, old, new, step)
        if old.is_open and not new.is_open:
            yield from _lose(wire, slave, step)
            wire = _Wire()


def _take_report(wire: _Wire, slave: int, old: Link, new: Link, step: int) -> Iterator[Arrow]:
    if new.is_open and new.has_reported and _is_sent(old, new):
        wire.reports.append((step, new.reported_offset))
    if new.slave_ack_offset > old.slave_ack_offset:
        offset = new.slave_ack_offset
        sent = next((s for s, end in wire.reports if end >= offset), step)
        wire.reports = [(s, end) for s, end in wire.reports if end > offset]
        yield Arrow(slave, MASTER, sent, step, f"report {offset}")


def _is_sent(old: Link, new: Link) -> bool:
    """A report goes out: the first one of a connection, or a higher one."""
    return not old.has_reported or new.reported_offset > old.reported_offset


def _take_frame(wire: _Wire, slave: int, old: Link, new: Link, step: int) -> Iterator[Arrow]:
    if UNKNOWN_OFFSET < old.next_transfer_offset < new.next_transfer_offset:
        wire.frames.append((step, new.next_transfer_offset))
    if UNKNOWN_OFFSET < old.arrived_offset < new.arrived_offset:
        sent = next((s for s, end in wire.frames if end >= new.arrived_offset), step)
        wire.frames = [(s, end) for s, end in wire.frames if end > new.arrived_offset]
        label = f"{old.arrived_offset} to {new.arrived_offset}"
        yield Arrow(MASTER, slave, sent, step, label)


def _lose(wire: _Wire, slave: int, step: int) -> Iterator[Arrow]:
    """What was under way when a connection closed."""
    for sent, offset in wire.reports:
        yield Arrow(slave, MASTER, sent, step, f"report {offset}", is_lost=True)
    for sent, _ in wire.frames:
        yield Arrow(MASTER, slave, sent, step, is_lost=True)


def follow_puts(steps: Sequence[JudgedStep]) -> Iterator[Arrow]:
    """Puts and their answers."""
    for before, after in pairwise(steps):
        if after.action is not None and after.action.rule_name in PUTS:
            yield Arrow(PRODUCER, MASTER, after.index, after.index)
        pairs = zip(before.cluster.messages, after.cluster.messages, strict=True)
        if any(is_over(new.phase) and not is_over(old.phase) for old, new in pairs):
            yield Arrow(MASTER, PRODUCER, after.index, after.index)


PUTS = frozenset({"append_message", "append_other_message", "send_again"})
"""Rules in which the master takes a put."""


def is_over(phase: int) -> bool:
    """The producer of a put in this phase has its answer."""
    return phase in (ANSWERED, REFUSED)

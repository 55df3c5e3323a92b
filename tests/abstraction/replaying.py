"""Schedules of the rules done again in bytes, each step beside the same step of the store.

A search's schedule lies in files of four bytes. Here each of its offsets becomes a place in a file
of real records: the schedule is done once more by the machine with those sizes, and by the store.
After every step the machine's state has to be true of the bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from attrs import evolve, frozen

from properties.schedules.judgement import ScheduleError, follow
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts, Parameters
from reference.worlds.replication.state import Cluster
from tests.abstraction.forgetting import forget_log, list_byte_misses, list_log_misses
from tests.abstraction.group import FILE_SIZE, LARGEST_MESSAGE, Group, has_bytes_of, make_group
from tests.abstraction.store_steps import Bytes, NotDoneError, take_step

SMALL_FILE = SMALL_PARAMETERS.mapped_file_size_bytes
BASES: dict[str, Callable[[Cluster, int], int]] = {
    "append_message": lambda c, i: c.master.log.max_offset,
    "append_other_message": lambda c, i: c.master.log.max_offset,
    "send_again": lambda c, i: c.master.log.max_offset,
    "transfer_batch": lambda c, i: c.links[i].next_transfer_offset,
    "append_to_slave": lambda c, i: c.links[i].arrived_offset,
    "append_at_wrong_offset": lambda c, i: c.links[i].arrived_offset,
    "fail_file_creation": lambda c, i: c.links[i].arrived_offset,
    "discard_frame": lambda c, i: c.links[i].arrived_offset,
    "swallow_append_error": lambda c, i: c.links[i].arrived_offset,
}
"""Where the bytes begin whose number a rule is told."""


@frozen
class Choice:
    """What a schedule of small numbers does not say."""

    places: tuple[int, ...]
    """Where the three inner offsets of a file lie (bytes). Within 92 bytes behind the begin of a
    record, what is missing is missed; behind them lie only properties, which no checksum covers."""
    is_more_left: bool


PLACES = itertools.product((128, 50), (256, 170, 224), (384, 300, 352))
CHOICES = tuple(itertools.starmap(Choice, itertools.product(PLACES, (False, True))))


@frozen
class Replayed:
    """The last state of a schedule, by the rules and in bytes."""

    cluster: Cluster
    group: Group


def make_parameters(limits: FaultCounts) -> Parameters:
    """The sizes of the files in bytes, in which nothing else is small."""
    return Parameters(
        ha_slave_fallbehind_max_bytes=SMALL_PARAMETERS.ha_slave_fallbehind_max_bytes
        * FILE_SIZE
        // SMALL_FILE,
        ha_transfer_batch_size_bytes=FILE_SIZE,
        mapped_file_size_bytes=FILE_SIZE,
        message_size_max_bytes=LARGEST_MESSAGE,
        limits=limits,
    )


def place(offset: int, places: tuple[int, ...]) -> int:
    """The byte that an offset of a schedule becomes; what is no offset stays."""
    if offset <= 0:
        return offset
    file, inner = divmod(offset, SMALL_FILE)
    return file * FILE_SIZE + (0, *places)[inner]


def scale(action: Action, cluster: Cluster, places: tuple[int, ...]) -> Action:
    """The action with places and numbers of bytes as large as real records."""
    index = action.index or 0
    arguments: dict[str, int] = {}
    for name, value in action.arguments.items():
        if name == "size_bytes":
            base = BASES[action.rule_name](cluster, index)
            arguments[name] = place(base + value, places) - place(base, places)
        else:
            arguments[name] = place(value, places) if name.endswith("offset") else value
    return evolve(action, arguments=arguments)


def scale_schedule(
    structure: ClaimedGroup,
    limits: FaultCounts,
    schedule: tuple[Action, ...],
    places: tuple[int, ...],
) -> tuple[Action, ...]:
    """The whole schedule so; its states in small files say where the bytes begin."""
    small = [c for _, c in follow(structure, evolve(SMALL_PARAMETERS, limits=limits), schedule)]
    return tuple(scale(a, c, places) for a, c in zip(schedule, small[:-1], strict=True))


def list_misses(cluster: Cluster, now: Bytes) -> Iterator[str]:
    """What a state says of the logs, or of the followed message in them, that is not so."""
    group = now.group
    pairs = [("master", cluster.master), *(("slave", slave) for slave in cluster.slaves[:1])]
    for name, state in pairs:
        broker = getattr(group, name)
        if broker.is_up != state.is_up:
            yield f"{name}: up is {state.is_up}, not {broker.is_up}"
        if name in now.recovered:
            misses = list_byte_misses(state.log, broker)
        else:
            true = forget_log(broker, group.message)
            misses = list_log_misses(state.log, true, broker, group.message)
        yield from (f"{name}: {miss}" for miss in misses)
        for message in cluster.messages:
            is_held = has_bytes_of(broker, group.message)
            if has_message(state.log, message) != is_held:
                yield f"{name}: the message is held: {is_held}"


def replay(
    structure: ClaimedGroup, limits: FaultCounts, schedule: tuple[Action, ...], choice: Choice
) -> Replayed:
    """Both do the schedule; raises NotDoneError where one of them cannot, or they differ."""
    scaled = scale_schedule(structure, limits, schedule, choice.places)
    now = Bytes(make_group())
    states = follow(structure, make_parameters(limits), scaled)
    _, before = next(states)
    try:
        for action, after in states:
            assert action is not None
            now = take_step(connect(now, before), action, is_more_left=choice.is_more_left)
            if misses := "; ".join(list_misses(after, now)):
                raise NotDoneError(f"{action}: {misses}")
            before = after
    except ScheduleError as error:
        raise NotDoneError(str(error)) from error
    return Replayed(before, now.group)


def connect(now: Bytes, cluster: Cluster) -> Bytes:
    """What the connection has in flight, which no store knows, is as the rules say."""
    links = cluster.links[:1]
    return evolve(now, group=evolve(now.group, link=links[0])) if links else now


def find_replay(
    structure: ClaimedGroup, limits: FaultCounts, schedule: tuple[Action, ...]
) -> Replayed:
    """The first choice of sizes with which both do the schedule; raises NotDoneError for none."""
    told: list[str] = []
    for choice in CHOICES:
        try:
            return replay(structure, limits, schedule, choice)
        except NotDoneError as error:
            told.append(str(error))
    raise NotDoneError(min(told, key=len))

"""Progress of delayed delivery in recordings: between what was shown and what was put.

No event tells when the master delivers, so each number is only known from both sides: the tables of
a world have the least that memory and file may be, and no offset is above the number of delayed
messages that the master has taken.
"""

from __future__ import annotations

from attrs import evolve

from brokers.recordings.kinds import START_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.tables.worlds import NodeTables
from brokers.recordings.view import Blocked, View
from reference.decisions.metadata.broker_tables import BrokerTables, DelayOffsets
from reference.releases.known_differences import DELAY_PROGRESS_RELOADED

MEMORY, FILE = "delay_offsets_in_memory", "delay_offset_file"
"""The fields that show them."""


def count_delayed(view: View, event: Event) -> View:
    """A delayed message that the master has taken will be delivered later."""
    level = event.data.get("delay_level")
    if not level or event.data.get("queue_offset") is None:
        return view
    side = view.tables
    count = side.delayed.get(str(level), 0) + 1
    return evolve(view, tables=evolve(side, delayed={**side.delayed, str(level): count}))


def count_shown(delayed: DelayOffsets, shown: DelayOffsets) -> DelayOffsets:
    """With the messages that were taken before the first look at a broker."""
    least = {level: max(delayed.get(level, 0), count) for level, count in shown.items()}
    return {**delayed, **least}


def keep_agreeing_delays(view: View, event: Event, shown: BrokerTables) -> View:
    """Only the worlds that agree with what a look shows of delayed delivery.

    A process begins with what its file has (R-BR-05); a master may have gone on since.
    """
    memory = shown.delay_offsets if MEMORY in event.data else None
    file = shown.delay_file
    if file is None and event.kind in START_KINDS and event["node"] != view.plan.master:
        file = memory
    if memory is not None:
        view = keep_agreeing_part(view, event, MEMORY, memory)
    return view if file is None else keep_agreeing_part(view, event, FILE, file)


def keep_agreeing_part(view: View, event: Event, part: str, shown: DelayOffsets) -> View:
    """The same of memory or file."""
    name, side, worlds, problems = event["node"], view.tables, [], []
    is_fixed = is_memory_fixed(view, name)
    for world in side.worlds:
        problem = find_problem(part, shown, *find_range(world[name], part, side.delayed))
        if problem:
            problems.append(problem)
        else:
            worlds.append({**world, name: see(world[name], part, shown, is_fixed=is_fixed)})
    if not worlds:
        raise Blocked(problems[0])
    return evolve(view, tables=evolve(side, worlds=tuple(worlds)))


def is_memory_fixed(view: View, name: str) -> bool:
    """A slave keeps the delay offsets with which it has started (R-MS-07)."""
    return name != view.plan.master and not view.plan.version.has(DELAY_PROGRESS_RELOADED)


def find_range(
    node: NodeTables, part: str, delayed: DelayOffsets
) -> tuple[DelayOffsets, DelayOffsets]:
    """The least and the most that the offsets of a part may be."""
    if part == FILE:
        return node.tables.delay_file or {}, delayed
    least = node.tables.delay_offsets
    return least, least if node.is_delay_known else delayed


def see(node: NodeTables, part: str, shown: DelayOffsets, *, is_fixed: bool) -> NodeTables:
    """A broker of which a part was shown; ``is_fixed``: its memory stays so."""
    if part == FILE:
        return evolve(node, tables=evolve(node.tables, delay_file=shown))
    tables = evolve(node.tables, delay_offsets=shown)
    return evolve(node, tables=tables, is_delay_known=is_fixed)


def find_problem(part: str, shown: DelayOffsets, least: DelayOffsets, most: DelayOffsets) -> str:
    """Why offsets cannot be what is shown; empty: they can."""
    for level in sorted(shown.keys() | least.keys()):
        low, high = least.get(level, 0), most.get(level, -1)
        if not low <= shown.get(level, -1) <= high:
            return (
                f"{part} of level {level} is {shown.get(level)}, "
                f"but from {low} to {high} by the model"
            )
    return ""

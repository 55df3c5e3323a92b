"""One offset from put to acknowledgement: the reference run step by step, field by field.

``rmqspec docs --write spec/one_offset.md`` writes the chapter's generated parts anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from book.diagram.svg import draw_schedule
from book.function_source import get_path
from book.links import link_rule
from properties.generated_text import SPEC, Page, render_table
from properties.schedules.judgement import JudgedStep, replay
from properties.worlds.replication.structures import STOCK_PAIR
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine
from reference.worlds.replication.state import PHASE_NAMES

SCHEDULE = (
    Action("connect_slave[0]"),
    Action("report_offset[0]"),
    Action("receive_report[0]", {"slave_offset": 0}),
    Action("position_transfer[0]"),
    Action("append_message[0]", {"size_bytes": 2, "waits_for_store": 1}),
    Action("answer_disk_wait[0]"),
    Action("request_slave_wait[0]"),
    Action("transfer_batch[0]", {"size_bytes": 2}),
    Action("append_to_slave[0]", {"size_bytes": 2}),
    Action("receive_report[0]", {"slave_offset": 2}),
    Action("answer_slave_wait[0]"),
)
"""A healthy pair: a slave joins an empty master, and one message of two bytes is put."""


@cache
def walk() -> tuple[JudgedStep, ...]:
    """Every state of the schedule. Raises ScheduleError."""
    parameters = STOCK_PAIR.world.make_search_parameters(STOCK_PAIR.world.get_fault_model("none"))
    return tuple(replay(STOCK_PAIR, parameters, SCHEDULE, ()))


def draw() -> str:
    """The picture, as an SVG file."""
    return draw_schedule(walk(), "One message from put to acknowledgement", "")


def render_steps() -> str:
    """A row for each step: the rule, its code here and in RocketMQ, and what has changed."""
    head = ("Step", "Rule", "Its function", "RocketMQ's code", "What has changed")
    return render_table(head, (list(_list_cells(step)) for step in walk()[1:]))


def _list_cells(step: JudgedStep) -> Iterator[object]:
    assert step.action is not None
    rule = compute_machine(STOCK_PAIR).instances[step.action.instance].rule
    yield step.index
    yield link_rule(rule)
    file = get_path(rule.function)
    yield f"[{file}](../{file})"
    yield rule.source
    changes = list_changes(walk()[step.index - 1].cluster, step.cluster)
    yield ", ".join(f"`{path}` {before} → {after}" for path, before, after in changes)


def list_changes(before: Any, after: Any) -> Iterator[tuple[str, object, object]]:
    """The fields in which two states differ, with both values; only the first log epoch."""
    old, new = flatten(before), flatten(after)
    for path, value in new.items():
        if value != old[path] and not is_later_life(path):
            yield write_path(path), format_leaf(path, old[path]), format_leaf(path, value)


def is_later_life(path: str) -> bool:
    """The end of a log in a log epoch after the first: equal as long as no log epoch has ended."""
    return ".ends." in path and not path.endswith(".ends.0")


def write_path(path: str) -> str:
    """A leaf as one writes it in Python: ``links[0].is_open``."""
    return re.sub(r"\.(\d+)", r"[\1]", path)


def format_leaf(path: str, value: Any) -> object:
    """A number, yes or no, or the name of a phase."""
    if path.endswith(".phase"):
        return PHASE_NAMES[value]
    return ("no", "yes")[value] if isinstance(value, bool) else value


PAGE = Page(SPEC / "one_offset.md", {"steps": render_steps})
"""The chapter."""

FILES: Mapping[Path, Callable[[], str]] = {SPEC / "one_offset.svg": draw}
"""The picture beside it."""

"""The steps that are put at an event of a recording, drawn in 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from brokers.explaining.told.excerpts import Excerpt, ExplainedEvent, ExplainedStep, ExplanationStop
from brokers.recordings.kinds import COMMON_FIELDS
from command_line.answers.recordings.lines import describe_cluster

COLUMNS = 80
"""Width of a terminal."""

CHANGES_MAX = 6
"""How many leaves a step is said to change; the rest is counted."""

FIRST = (
    *("node", "link", "conn", "role", "put_status", "wrote_offset", "wrote_bytes"),
    *("master_offset", "slave_offset", "body_bytes", "max_offset", "flushed_offset"),
    *("dispatched_offset", "push2_slave_max_offset", "connection_count", "closed_by"),
)
"""The fields of an event that are shown first, if there is room."""


def draw_excerpt(excerpt: Excerpt) -> Iterator[str]:
    """The event between its neighbours; every line fits."""
    where = "What is refused at" if excerpt.stop else "What is put at"
    yield f"  {where} seq {excerpt.seq}:"
    for told in excerpt.before:
        yield from draw_told(told, " ", is_drawn=False)
    for told in excerpt.here:
        yield from draw_told(told, ">", is_drawn=True)
    if excerpt.stop is not None:
        yield from draw_stop(excerpt.stop)
    for told in excerpt.behind:
        yield from draw_told(told, " ", is_drawn=False)


def draw_told(told: ExplainedEvent, mark: str, *, is_drawn: bool) -> Iterator[str]:
    """An observation; the steps before it are drawn, or counted."""
    if is_drawn:
        for step in told.steps:
            yield from draw_step(step)
    elif told.steps:
        names = ", ".join(step.instance or step.says for step in told.steps)
        yield from wrap(f"    | {names}", "    |   ")
    line = f"seq {told.seq} {told.t_ms:.1f} ms {told.kind}: {describe_data(told.data)}"
    yield f"  {mark} {textwrap.shorten(line, COLUMNS - 4, placeholder=' ...')}"


def draw_step(step: ExplainedStep) -> Iterator[str]:
    """One step: the rule, who, what changed, and when it can have been."""
    arguments = ", ".join(f"{name}={value}" for name, value in step.arguments.items())
    name = f"{step.instance}({arguments})" if step.instance else step.says
    seen = "announced by the event" if step.is_announced else "hidden"
    yield from wrap(f"    | {name}  {step.who}, {seen}", "    |     ")
    if step.instance:
        yield from wrap(f"    |   {step.says}; {describe_range(step)}", "    |     ")
    for path, before, after in step.changes[:CHANGES_MAX]:
        yield from wrap(f"    |   {path}: {show(before)} -> {show(after)}", "    |     ")
    if len(step.changes) > CHANGES_MAX:
        yield f"    |   and {len(step.changes) - CHANGES_MAX} more"


def describe_range(step: ExplainedStep) -> str:
    """When a step can have been."""
    if step.since_ms is None:
        return f"by {step.until_ms:.1f} ms"
    return f"between {step.since_ms:.1f} and {step.until_ms:.1f} ms"


def draw_stop(stop: ExplanationStop) -> Iterator[str]:
    """Why an event is refused, and the state there."""
    yield from wrap(f"    rejected; not met: {stop.reason}", "      ")
    if stop.nearest is not None:
        failed = ", ".join(stop.nearest.conditions)
        told = f"nearest rule: {stop.nearest.instance}; {failed} does not hold"
        yield from wrap(f"    {told}", "      ")
    yield "    the state at this event:"
    for line in describe_cluster(stop.cluster):
        yield from wrap(f"      {line}", "        ")


def describe_data(data: Mapping[str, Any]) -> str:
    """The fields of an event, the telling ones first."""
    names = [name for name in FIRST if name in data]
    names += [name for name in data if name not in FIRST and name not in COMMON_FIELDS]
    return ", ".join(f"{name} {show(data[name])}" for name in names)


def show(value: Any) -> str:
    """A value of a state or of an event."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def wrap(text: str, indent: str) -> list[str]:
    """The lines of a text, none too long."""
    lead = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(), COLUMNS, initial_indent=lead, subsequent_indent=indent, break_on_hyphens=False
    )

"""A recording made from logs alone: starts with what was recovered, ends, and lines of logs.

``spec/trace_format.md`` says which events logs can make complete. No put, no report and no frame is
among them. The end of a process that did not stop in order has no line: the next start shows it,
and the recording has a ``node_kill9`` behind the last line of that life.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from brokers.broker_logs.findings import TimelineEntry
from brokers.broker_logs.lives import BrokerLife, BrokerLives
from brokers.broker_logs.reading import BrokerStory, LogReport

ROLES = ("ASYNC_MASTER", "SYNC_MASTER", "SLAVE")
UNKNOWN_MASTER = "ASYNC_MASTER"
"""The role of a master whose logs do not tell which of the two it is."""

NOTE = (
    "Made from log files, whose clock counts whole seconds: no put, report or frame is in them. A "
    "master whose logs do not name its role is written as ASYNC_MASTER, and an end that no line "
    "shows as a kill."
)

SYMBOLS = (
    (re.compile(r"/?\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?"), "<peer>"),
    (
        re.compile(r"/\S*?(?=/(?:commitlog|consumequeue|config|index|abort|checkpoint)\b)"),
        "<store>",
    ),
)
"""What stands for addresses and paths."""

ROLE_CHANGE = (
    "{name} starts as {role} next: what follows is left out, because brokers keep their roles here"
)

Timed = tuple[str, int, dict[str, Any]]
"""A time of a log, the place among what happened then, and the event."""


def make_recording(report: LogReport) -> Iterator[dict[str, Any]]:
    """The events of a recording; nothing if no whole start of any broker is in the logs."""
    shown = [story for story in report.brokers if get_whole_lives(story.lives)]
    if not shown:
        return
    events: list[Timed] = [event for story in shown for event in list_events(story)]
    begins = {story.name: get_whole_lives(story.lives)[0].start for story in shown}
    events += (
        (entry.first, 1, make_log(entry))
        for entry in report.entries
        if entry.broker in begins and entry.first >= begins[entry.broker]
    )
    events.sort(key=lambda each: each[:2])
    head = {"ev": "config", "format": 1, "rocketmq": report.recorded_release}
    head |= {"without_puts": True, "note": NOTE}
    nodes = {story.name: make_node(story.lives) for story in shown}
    yield {"seq": 0, "t_ms": 0.0, **head, "nodes": nodes}
    first = parse_time(events[0][0])
    for number, (time, _, event) in enumerate(events, 1):
        stamp = {"seq": number, "t_ms": (parse_time(time) - first).total_seconds() * 1000}
        if event["ev"] == "node_started" and is_other_part(event, nodes):
            text = ROLE_CHANGE.format(name=event["node"], role=event["role"])
            yield {**stamp, "ev": "note", "text": text}
            return
        yield {**stamp, **event}


def is_other_part(start: dict[str, Any], nodes: dict[str, Any]) -> bool:
    """A slave starts as a master, or a master as a slave."""
    return bool((start["role"] == "SLAVE") != (nodes[start["node"]]["role"] == "SLAVE"))


def get_whole_lives(lives: BrokerLives) -> list[BrokerLife]:
    """Those whose load is in the logs."""
    return [life for life in lives.lives if life.recovered]


def make_node(lives: BrokerLives) -> dict[str, Any]:
    """What the configuration of a recording says of a broker."""
    first = get_whole_lives(lives)[0]
    told = (life.settings.get("flushDiskType") or life.flush_type for life in lives.lives)
    node = {"role": name_role(lives, first)}
    node["flush_type"] = next(filter(None, told), "ASYNC_FLUSH")
    size = first.settings.get("mapedFileSizeCommitLog", "")
    sizes = {"mapedFileSizeCommitLog": int(size)} if size.isdecimal() else {}
    return {**node, "store_config": sizes}


def name_role(lives: BrokerLives, life: BrokerLife) -> str:
    """A role of the format; a life that does not show one has that of another life."""
    roles = [life.role, *(each.role for each in lives.lives)]
    role = next(filter(None, roles), "")
    return role if role in ROLES else UNKNOWN_MASTER


def list_events(story: BrokerStory) -> Iterator[Timed]:
    """Starts and ends of a broker, from its first whole start on."""
    whole = get_whole_lives(story.lives)
    for number, life in enumerate(whole):
        yield life.recovered, 2, make_start(story.name, name_role(story.lives, life), life)
        if life.stop_end:
            yield life.stop_begin, 3, {"ev": "node_stop_begin", "node": story.name}
            stop = {"node": story.name, "abort_file_present": life.keeps_abort_file}
            yield life.stop_end, 4, {"ev": "node_stop_clean", **stop}
            yield life.stop_end, 5, {"ev": "process_exit", "node": story.name}
        elif number + 1 < len(whole):
            yield max(life.latest, life.recovered), 5, {"ev": "node_kill9", "node": story.name}


def make_start(name: str, role: str, life: BrokerLife) -> dict[str, Any]:
    """A start: all is flushed and dispatched then (R-RC-03, R-RC-11), and nobody is connected."""
    end = life.max_offset
    start: dict[str, Any] = {
        "ev": "node_started",
        "node": name,
        "role": role,
        "last_exit_normal": life.is_last_exit_normal,
        "max_offset": end,
        "flushed_offset": end,
        "min_offset": min(life.files, default=-1),
        "mapped_files": len(life.files),
        "dispatched_offset": end,
    }
    if role == "SLAVE":
        return start | {"ha_client_connected": False, "ha_client_reported_offset": 0}
    counters = {"push2_slave_max_offset": 0, "connection_count": 0, "connections": []}
    return start | counters | {"slave_fall_behind": end}


def make_log(entry: TimelineEntry) -> dict[str, Any]:
    """A line of a log, for whoever reads the recording."""
    text = hide_places(entry.line.text)
    level, thread = entry.line.level or "INFO", entry.line.thread
    return {"ev": "log", "node": entry.broker, "level": level, "thread": thread, "msg": text}


def hide_places(text: str) -> str:
    """The text of a line with symbols for addresses and paths."""
    for pattern, symbol in SYMBOLS:
        text = pattern.sub(symbol, text)
    return text


def parse_time(time: str) -> datetime:
    """A time of a log."""
    return datetime.fromisoformat(time)

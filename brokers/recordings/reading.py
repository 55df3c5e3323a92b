"""Recordings of real brokers, read from JSON lines and checked for form only.

The first line describes the brokers, every further line is one event. What an event *means* is
the business of the handlers; here stands which kinds of events exist and what they must carry.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.kinds import (
    APPENDED_FIELDS,
    BROKER_KINDS,
    CHECKS,
    COMMON_FIELDS,
    CONTROLLER_KINDS,
    EXPLAINED_KINDS,
    IGNORED_KINDS,
    LIST_FIELDS,
    MASTER_FIELDS,
    OPTIONAL_COMMON_FIELDS,
    OPTIONAL_FIELDS,
    SLAVE_FIELDS,
    START_KINDS,
    TOLD_KINDS,
    Fields,
)
from reference.roles import FlushDiskType, Role

FORMAT = 1
"""The version of the format that is read here; a recording that names none has this one."""

CONFIG = "config"
"""The kind of the first line."""

PART = "part"
"""A field of the first line: the number of this file among those of one recording."""

LARGEST_NUMBER = 2**63 - 1
"""Brokers count in 64 bits; a larger number, or an infinite one, is a mistake of the file."""


class TraceError(Exception):
    """A file that is no recording: one line with place, problem and advice."""


@frozen
class Event:
    """One line of a recording."""

    line: int
    """Line in the file, counted from 1."""
    seq: int
    """Number of the event, increasing."""
    t_ms: float
    """When it was seen: ms since the scenario began, one wall clock for all processes."""
    kind: str
    """Its ``ev``; of a note about a controller its ``what``."""
    data: Mapping[str, Any]
    """All its fields, as they stand in the file."""

    def __getitem__(self, name: str) -> Any:
        """A field; the required ones of its kind are certain to be there."""
        return self.data[name]


@frozen
class Recording:
    """A recording of one broker group."""

    file: str
    """The file, as it was named."""
    config: Event
    """Which brokers there are, and the properties in which they differ from the defaults."""
    events: tuple[Event, ...]
    """Everything that was seen, in the order of ``seq``."""
    whole: tuple[Event, ...] = ()
    """The same of all groups, where ``events`` is about one group of brokers only."""
    unknown: tuple[Event, ...] = ()
    """Events of kinds that nobody here knows; they are no part of ``events``."""

    @property
    def end_ms(self) -> float:
        """When the recording ended."""
        last = max(self.events[-1:], self.whole[-1:], key=lambda end: end[0].t_ms if end else 0.0)
        return last[0].t_ms if last else 0.0


def read_recording(path: str | Path) -> Recording:
    """Reads one recording.

    Raises:
        TraceError: the file cannot be read, or it is no recording of the kinds known here.
    """
    recording = _read_file(path)
    if recording.config.data.get(PART):
        problem = f"is part {recording.config[PART]} of a recording"
        raise trace_error(path, 1, problem, "name all its files in order, with --parts")
    return recording


def read_growing(paths: Sequence[str | Path]) -> Recording | None:
    """Reads what is there of a recording that is being written; None before its first line is.

    Raises:
        TraceError: one cannot be read, or they are not the parts of one recording in order.
    """
    written = [path for path in paths if any(_read_lines(path, is_growing=True))]
    return read_parts(written, is_growing=True) if written else None


def read_parts(paths: Sequence[str | Path], *, is_growing: bool = False) -> Recording:
    """Reads one recording from its files, the first one first.

    ``is_growing``: what stands behind the last end of a line is not there yet.

    Raises:
        TraceError: one cannot be read, or they are not the parts of one recording in order.
    """
    parts = [_read_file(path, is_growing=is_growing) for path in paths]
    first, events = parts[0].config, list[Event]()
    roles = _list_roles(first)
    for number, (path, part) in enumerate(zip(paths, parts, strict=True)):
        if part.config.data.get(PART, 0) != number or part.config["nodes"] != first["nodes"]:
            advice = "name all files of one recording, the first one first"
            raise trace_error(path, 1, f"is not part {number} of {parts[0].file}", advice)
        _check_events(path, [part.config, *_list_all(part)], roles)
        if number and part.config.seq <= (events[-1].seq if events else first.seq):
            problem = f"seq {part.config.seq} does not follow the part before"
            raise trace_error(path, 1, problem, "name the files in order")
        events += _list_all(part)
    return _make_recording(parts[0].file, [first, *events])


def _list_all(recording: Recording) -> list[Event]:
    """The events of all kinds, in their order."""
    return sorted((*recording.events, *recording.unknown), key=lambda event: event.seq)


def _list_roles(config: Event) -> dict[str, Any]:
    return {name: node["role"] for name, node in config["nodes"].items()}


def _read_file(path: str | Path, *, is_growing: bool = False) -> Recording:
    """One file; of a part after the first, what an event must carry is not known yet."""
    lines = _read_lines(path, is_growing=is_growing)
    events = [_read_line(path, line, text) for line, text in lines]
    if not events:
        raise trace_error(path, 1, "the file is empty", "name a recording in JSON lines")
    config = events[0]
    if config.kind != CONFIG:
        problem = f"the first event is {config.kind!r}, not 'config'"
        raise trace_error(path, 1, problem, "keep the line that describes the brokers")
    _check_config(path, config)
    if not config.data.get(PART):
        _check_events(path, events, _list_roles(config))
    return _make_recording(str(path), events)


def _check_events(path: str | Path, events: Sequence[Event], roles: dict[str, Any]) -> None:
    for before, event in itertools.pairwise(events):
        if event.seq <= before.seq:
            problem = f"seq {event.seq} follows {before.seq}"
            raise trace_error(path, event.line, problem, "number the events in increasing order")
        _check_event(path, event, roles)


def _make_recording(file: str, events: Sequence[Event]) -> Recording:
    known = tuple(event for event in events[1:] if is_known(event))
    unknown = tuple(event for event in events[1:] if not is_known(event))
    return Recording(file, events[0], known, unknown=unknown)


def number_lines(file: str, lines: Iterable[Mapping[str, Any]]) -> Recording:
    """A recording that was not read from a file: its lines in their order, the first a config."""
    numbered = [{"seq": n, **line} for n, line in enumerate(lines)]
    events = [Event(n + 1, n, line["t_ms"], line["ev"], line) for n, line in enumerate(numbered)]
    return Recording(file, events[0], tuple(events[1:]))


def is_known(event: Event) -> bool:
    """The event is of a kind that the model explains, or a remark."""
    return event.kind in EXPLAINED_KINDS or event.kind in IGNORED_KINDS


def trace_error(path: str | Path, line: int, problem: str, advice: str) -> TraceError:
    """An error on one line, whatever characters the file or its name holds.

    ``line`` is 0 where none of its lines is to blame.
    """
    place = f"{path}:{line}" if line else f"{path}"
    text = f"{place}: {problem}; {advice}"
    return TraceError(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def _read_lines(path: str | Path, *, is_growing: bool) -> Iterator[tuple[int, str]]:
    try:
        data = Path(path).read_bytes()
        text = data[: data.rfind(b"\n") + 1 if is_growing else None].decode("utf-8-sig")
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise trace_error(
            path, 0, f"cannot be read ({reason})", "check the path and its permissions"
        ) from problem
    except ValueError as problem:
        raise trace_error(
            path, 0, "not a text in UTF-8", "name a recording in JSON lines"
        ) from problem
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            yield line, content


def _read_line(path: str | Path, line: int, text: str) -> Event:
    advice = "write one JSON object per line"
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        raise trace_error(path, line, "not JSON", advice) from problem
    if not isinstance(data, dict):
        raise trace_error(path, line, "not a JSON object", advice)
    _check_fields(path, line, "event", data, COMMON_FIELDS)
    return _tell_kind(Event(line, data["seq"], float(data["t_ms"]), data["ev"], data))


OF_NOTES = ("at", "text", "what")
"""Fields of a note that an event with a kind of its own does not have."""


def _tell_kind(event: Event) -> Event:
    """An event of controller mode that is written down as a note, with its own kind."""
    kind = event.data.get("what")
    if event.kind != "note" or not isinstance(kind, str) or kind not in CONTROLLER_KINDS:
        return event
    data = {name: value for name, value in event.data.items() if name not in OF_NOTES}
    if "at" in event.data:
        data["node"] = event["at"]
    is_whole = CONTROLLER_KINDS[kind].keys() <= data.keys()
    return evolve(event, kind=kind, data=data) if is_whole else event


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _check_config(path: str | Path, config: Event) -> None:
    version = config.data.get("format", FORMAT)
    if version != FORMAT or isinstance(version, bool):
        problem = f"format is {version!r}"
        raise trace_error(path, config.line, problem, f"this reader knows format {FORMAT}")
    _check_fields(path, config.line, "config", config.data, {"nodes": "object"})
    if PART in config.data:
        _check_fields(path, config.line, "config", config.data, {PART: "count"})
    for name, node in config["nodes"].items():
        if not isinstance(node, dict):
            raise _wrong_field(path, config.line, "config", name, "object")
        wanted = {"role": "text", "flush_type": "text", "store_config": "object"}
        _check_fields(path, config.line, f"node {name}", node, wanted)
        for field, choices in (("role", Role), ("flush_type", FlushDiskType)):
            if node[field] not in choices.__members__:
                names = ", ".join(choices.__members__)
                problem = f"node {name}: {field} is {node[field]!r}"
                raise trace_error(path, config.line, problem, f"use one of {names}")


def _check_event(path: str | Path, event: Event, roles: dict[str, Any]) -> None:
    """Checks an event of a broker by the role in which it runs; ``roles`` learns it of starts."""
    if event.kind == CONFIG:
        problem = "a second event is 'config'"
        raise trace_error(path, event.line, problem, "keep one recording in a file")
    if event.kind not in EXPLAINED_KINDS:
        return
    wanted = EXPLAINED_KINDS[event.kind]
    _check_fields(path, event.line, event.kind, event.data, wanted)
    if event.kind in (*START_KINDS, *TOLD_KINDS) and "role" in event.data:
        roles[event["node"]] = event["role"]
    more = {**_find_more_fields(event, roles), **_find_optional_fields(event)}
    _check_fields(path, event.line, event.kind, event.data, more)
    for name in LIST_FIELDS.keys() & {*wanted, *more}:
        for entry in event[name]:
            _check_fields(path, event.line, name, entry, LIST_FIELDS[name])


def _find_more_fields(event: Event, roles: Mapping[str, Any]) -> Fields:
    """Fields that an event must carry because of what it says."""
    if event.kind in BROKER_KINDS:
        role = roles.get(event["node"])
        return SLAVE_FIELDS if role == Role.SLAVE.name else MASTER_FIELDS
    if event.kind == "put" and "append_status" in event.data:
        return APPENDED_FIELDS
    return {}


def _find_optional_fields(event: Event) -> Fields:
    """What the optional fields that an event carries must be."""
    optional = {**OPTIONAL_COMMON_FIELDS, **OPTIONAL_FIELDS.get(event.kind, {})}
    return {name: check for name, check in optional.items() if name in event.data}


def _check_fields(
    path: str | Path, line: int, owner: str, data: Mapping[str, Any], wanted: Fields
) -> None:
    for name, check in wanted.items():
        if name not in data:
            problem = f"{owner} has no field {name!r}"
            raise trace_error(path, line, problem, f"give {CHECKS[check]}")
        if not _is_of(check, data[name]):
            raise _wrong_field(path, line, owner, name, check)


def _is_whole(value: Any, lowest: int) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole and lowest <= value <= LARGEST_NUMBER


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= LARGEST_NUMBER


def _is_list_of_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(_is_whole(item, -LARGEST_NUMBER) for item in value)


def _is_row(value: Any) -> bool:
    return _is_list_of_numbers(value) and len(value) > 1


IS_OF: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda value: _is_whole(value, -LARGEST_NUMBER),
    "count": lambda value: _is_whole(value, 0),
    "time": _is_time,
    "flag": lambda value: isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "checksum": lambda value: (
        isinstance(value, str) and re.fullmatch(r"[0-9a-fA-F]{1,8}", value) is not None
    ),
    "list": lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
    "object": lambda value: isinstance(value, dict),
    "texts": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "numbers": _is_list_of_numbers,
    "rows": lambda value: isinstance(value, list) and all(map(_is_row, value)),
    "any": lambda _: True,
}
"""Whether a field is what it must be, by the names of CHECKS."""


def _is_of(check: str, value: Any) -> bool:
    return IS_OF[check](value)


def _wrong_field(path: str | Path, line: int, owner: str, name: str, check: str) -> TraceError:
    return trace_error(path, line, f"{owner}: {name!r} is of another kind", f"give {CHECKS[check]}")

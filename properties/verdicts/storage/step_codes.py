"""Steps of stored schedules, each written once in a file and named by a digest elsewhere.

A file has few different steps and many schedules of them: a schedule is stored as one text, ``@``
and the codes of its steps.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

MARK = "@"
CODE_LENGTH = 8
"""So many letters of a digest name a step, of which a file has some hundred."""


def compute_code(text: str) -> str:
    """The name of a step: the begin of a digest of its JSON without blanks."""
    return hashlib.sha256(text.encode()).hexdigest()[:CODE_LENGTH]


def is_schedule(value: Any) -> bool:
    """A list of at least one step, each an instance with its arguments."""
    return isinstance(value, list) and bool(value) and all(map(_is_step, value))


def _is_step(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(("instance", "arguments")):
        return False
    return isinstance(value[0], str) and isinstance(value[1], dict)


def pack_schedule(schedule: Any, steps: dict[str, str]) -> Any:
    """The text for a schedule, whose steps are added to ``steps``; an empty one stays a list.

    Raises ValueError if two different steps have one code.
    """
    if not is_schedule(schedule):
        return schedule
    codes = []
    for step in schedule:
        text = json.dumps(step, separators=(",", ":"))
        code = compute_code(text)
        if steps.setdefault(code, text) != text:
            raise ValueError(f"two steps have the code {code}; make CODE_LENGTH larger")
        codes.append(code)
    return " ".join((MARK, *codes))


def unpack_schedule(packed: Any, load: Callable[[str], Any]) -> Any:
    """What ``pack_schedule`` packed; ``load`` reads a step by its code, and may raise KeyError."""
    if not is_packed(packed):
        return packed
    return [load(code) for code in packed.split()[1:]]


def is_packed(value: Any) -> bool:
    """It is the text for a schedule."""
    return isinstance(value, str) and value.startswith(f"{MARK} ")


def pack_all(value: Any, steps: dict[str, str]) -> Any:
    """A value with every schedule in it packed, however deep. Raises ValueError."""
    if is_schedule(value):
        return pack_schedule(value, steps)
    if isinstance(value, dict):
        return {name: pack_all(part, steps) for name, part in value.items()}
    return [pack_all(part, steps) for part in value] if isinstance(value, list) else value


def unpack_all(value: Any, steps: dict[str, str]) -> Any:
    """What ``pack_all`` packed. Raises KeyError for a step that is missing."""
    if isinstance(value, dict):
        return {name: unpack_all(part, steps) for name, part in value.items()}
    if isinstance(value, list):
        return [unpack_all(part, steps) for part in value]
    return unpack_schedule(value, lambda code: json.loads(steps[code]))

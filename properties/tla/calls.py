"""Which functions of the reference a rule calls while it is recorded, with what, and what they say.

A recorded term has forgotten the functions that made it. They are noted here beside the recording,
so that an export can speak of ``is_store_open`` instead of repeating its body everywhere.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from attrs import field, frozen

ROOMS = ("reference.", "properties.")
"""Where the functions live that are noted."""

UNNOTED = (
    "reference.leaves",
    "reference.machine",
    "reference.operations",
    "reference.rule",
    "reference.structure",
    "reference.terms",
    "reference.variant",
    "reference.version",
    "reference.world",
    "properties.tla",
)
"""The vocabulary of rules, which is translated as it is, and what keeps rules."""


@frozen(eq=False)
class ObservedCall:
    """One call of a function of the reference."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    result: Any
    places: dict[str, Any]
    """Its local variables at the end, in the order in which they were made."""


@frozen(eq=False)
class Observation:
    """What was noted."""

    calls: list[ObservedCall] = field(factory=list)
    """In the order of return."""
    places: dict[Any, dict[str, Any]] = field(factory=dict)
    """The local variables of the rules that have run, by the code of the rule."""

    def find_places(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The local variables of a rule, or of a function that was called last."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code in self.places:
            return self.places[code]
        return next(c.places for c in reversed(self.calls) if c.function is function)


@contextmanager
def observe() -> Iterator[Observation]:
    """Inside, every call of a function of the reference is noted."""
    observation = Observation()
    pending: list[tuple[FrameType, dict[str, Any]]] = []

    def note(frame: FrameType, event: str, result: Any) -> None:
        if event == "call" and is_noted(frame):
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            pending.append((frame, {name: frame.f_locals[name] for name in names}))
        elif event == "return" and pending and pending[-1][0] is frame:
            _, arguments = pending.pop()
            function = find_function(frame)
            if function is not None and result is not None:
                call = ObservedCall(function, arguments, result, find_places(frame))
                observation.calls.append(call)
        elif event == "return" and frame.f_code.co_flags & inspect.CO_GENERATOR:
            observation.places[frame.f_code] = find_places(frame)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield observation
    finally:
        sys.setprofile(before)


def find_places(frame: FrameType) -> dict[str, Any]:
    """The local variables of a frame beside its parameters."""
    code = frame.f_code
    names = code.co_varnames[code.co_argcount :]
    return {name: frame.f_locals[name] for name in names if name in frame.f_locals}


def is_noted(frame: FrameType) -> bool:
    """The frame is of a plain function with fixed parameters, of a noted module."""
    module, code = frame.f_globals.get("__name__", ""), frame.f_code
    unfit = inspect.CO_GENERATOR | inspect.CO_VARKEYWORDS | inspect.CO_VARARGS
    is_plain = not code.co_flags & unfit and not code.co_kwonlyargcount
    is_ours = module.startswith(ROOMS) and not module.startswith(UNNOTED)
    return is_plain and is_ours and not code.co_name.startswith("<")


def find_function(frame: FrameType) -> Callable[..., Any] | None:
    """The function that a frame runs, if it is one of its module by name."""
    function = frame.f_globals.get(frame.f_code.co_name)
    original = inspect.unwrap(function) if callable(function) else None
    return function if getattr(original, "__code__", None) is frame.f_code else None

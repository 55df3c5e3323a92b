"""The compiled functions of states and of breadth-first search."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from spark_fuzz.kernel.layout import Layout
from spark_fuzz.kernel.native.compiler import fill_in, load_library
from spark_fuzz.kernel.native.lowering import list_sizes, lower_search_to_c


class SearchArguments(ctypes.Structure):
    """What ``search.c`` is given."""

    _numbers_ = (
        *("words", "fields_count", "write_cells", "slaves", "slave_cells_count", "pictures"),
        *("buffer_rows", "action_cells", "states_max", "table_mask", "batch"),
    )
    _arrays_ = (
        *("parameters", "fields", "writes", "slave_cells", "picture_fields"),
        *("can_reach_violation", "bits", "earlier", "scratch_words", "base", "state", "enabled"),
        *("ranges", "arguments", "rows", "actions", "row_parents", "row_asleep", "slots"),
        *("states", "parents", "asleep", "table"),
    )
    _fields_ = (
        *((name, ctypes.c_int64) for name in _numbers_),
        *((name, ctypes.c_void_p) for name in _arrays_),
    )

    @classmethod
    def make(cls, **arrays: Any) -> SearchArguments:
        """With these arrays, and what their shapes tell."""
        made = cls(**{name: array.ctypes.data for name, array in arrays.items()})
        for number, name, axis in SHAPES:
            if name in arrays:
                setattr(made, number, arrays[name].shape[axis])
        made.table_mask = len(arrays["table"]) - 1 if "table" in arrays else 0
        return made


SHAPES = (
    ("words", "scratch_words", 1),
    ("words", "states", 1),
    ("words", "rows", 1),
    ("fields_count", "fields", 0),
    ("write_cells", "writes", 1),
    ("slaves", "slave_cells", 0),
    ("slave_cells_count", "slave_cells", 1),
    ("pictures", "picture_fields", 0),
    ("buffer_rows", "rows", 0),
    ("action_cells", "actions", 1),
    ("states_max", "states", 0),
)
"""The number, the array that has it, and along which axis."""


def name_space(space: Any) -> dict[str, Any]:
    """The arrays of a ``Space`` by the names of ``SearchArguments``."""
    return dict(space._asdict())


def name_scratch(scratch: Any) -> dict[str, Any]:
    """The arrays of a ``Scratch``."""
    named = dict(scratch._asdict())
    return {"scratch_words": named.pop("words"), **named}


def name_buffer(buffer: Any) -> dict[str, Any]:
    """The arrays of a ``Buffer``."""
    return {
        "rows": buffer.words,
        "actions": buffer.actions,
        "row_parents": buffer.parents,
        "row_asleep": buffer.asleep,
        "slots": buffer.slots,
    }


def name_store(store: Any) -> dict[str, Any]:
    """The arrays of a ``Store``."""
    named = dict(store._asdict())
    return {"states": named.pop("words"), **named}


class NativeModule:
    """The functions of one structure."""

    def __init__(self, library: Any) -> None:
        self._library = library
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments

    def find_enabled(self, state: Any, parameters: Any, enabled: Any) -> int:
        """Write the indexes of the enabled instances into ``enabled``; return how many."""
        return int(self._library.find_enabled(*get_pointers(state, parameters, enabled)))

    def find_ranges(self, state: Any, parameters: Any, instance: int, ranges: Any) -> int:
        """Write lowest and highest value of each argument; return the number of arguments."""
        one, other, found = get_pointers(state, parameters, ranges)
        return int(self._library.find_ranges(one, other, instance, found))

    def fire(self, state: Any, parameters: Any, instance: int, arguments: Any) -> None:
        """Let an enabled instance take place, with these arguments, in ``state``."""
        one, other, given = get_pointers(state, parameters, arguments)
        self._library.fire(one, other, instance, given)

    def judge(self, state: Any, parameters: Any) -> int:
        """The bit set of the guarantees that the state violates."""
        return int(self._library.judge(*get_pointers(state, parameters)))

    def pack_state(self, state: Any, fields: Any, rows: Any, row: int) -> bool:
        """Pack a state into a row; False if a number does not fit into its bits."""
        search = SearchArguments.make(fields=fields, rows=rows)
        target = rows[row : row + 1]
        one, other = get_pointers(state, target)
        return bool(self._library.pack_state(ctypes.byref(search), one, other))

    def collect_successors(  # noqa: PLR0913, PLR0917
        self, parameters: Any, space: Any, scratch: Any, buffer: Any, filled: int, asleep: int
    ) -> int:
        """Collect the successors of the packed state in ``scratch``; the number of rows filled."""
        named = {**name_space(space), **name_scratch(scratch), **name_buffer(buffer)}
        search = SearchArguments.make(parameters=parameters, **named)
        return int(self._library.collect_successors(ctypes.byref(search), filled, asleep))

    def insert_rows(self, buffer: Any, filled: int, store: Any, count: Any) -> int:
        """Insert the collected rows as new states; the number of all states then."""
        search = SearchArguments.make(**name_buffer(buffer), **name_store(store))
        return int(self._library.insert_rows(ctypes.byref(search), filled, count))

    def expand_states(  # noqa: PLR0913, PLR0917
        self,
        first: int,
        count: int,
        parameters: Any,
        space: Any,
        scratch: Any,
        buffer: Any,
        store: Any,
        batch: int,
    ) -> int:
        """Expand the states from ``first`` on; where it stopped, or why it could not."""
        named = {**name_space(space), **name_scratch(scratch), **name_buffer(buffer)}
        search = SearchArguments.make(parameters=parameters, **named, **name_store(store))
        search.batch = batch
        return int(self._library.expand_states(ctypes.byref(search), first, count))

    def judge_states(  # noqa: PLR0913, PLR0917
        self,
        first: int,
        last: int,
        parameters: Any,
        space: Any,
        scratch: Any,
        store: Any,
        violating: Any,
    ) -> None:
        """Note for each guarantee the first of these states that violates it."""
        named = {**name_space(space), **name_scratch(scratch), "states": store.words}
        search = SearchArguments.make(parameters=parameters, **named)
        pointer = violating.ctypes.data
        self._library.judge_states(ctypes.byref(search), first, last, pointer)


def get_pointers(*arrays: Any) -> Sequence[int]:
    """The addresses of arrays of int64."""
    return [array.ctypes.data for array in arrays]


POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
SEARCH = ctypes.POINTER(SearchArguments)

SIGNATURES = {
    "find_enabled": (NUMBER, (POINTER, POINTER, POINTER)),
    "find_ranges": (NUMBER, (POINTER, POINTER, NUMBER, POINTER)),
    "fire": (None, (POINTER, POINTER, NUMBER, POINTER)),
    "judge": (NUMBER, (POINTER, POINTER)),
    "pack_state": (ctypes.c_int, (SEARCH, POINTER, POINTER)),
    "collect_successors": (NUMBER, (SEARCH, NUMBER, NUMBER)),
    "insert_rows": (NUMBER, (SEARCH, NUMBER, NUMBER)),
    "expand_states": (NUMBER, (SEARCH, NUMBER, NUMBER)),
    "judge_states": (None, (SEARCH, NUMBER, NUMBER, POINTER)),
}
"""By function its result and its arguments."""


def load_search(layout: Layout) -> NativeModule:
    """The compiled functions, from the cache if they were compiled before.

    Raises MissingCompilerError.
    """
    text = fill_in("search.c", list_sizes(layout), lower_search_to_c(layout))
    return NativeModule(load_library(text, "search"))

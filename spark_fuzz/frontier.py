"""The inner loops of breadth-first search: expand, pack, insert, judge. Compiled by the kernel.

The text from the first function on follows the lowered rules in each generated module. States are
rows of words, numbered in the order in which they are found; row 0 is the initial state. Successors
are collected in rows of a buffer, and inserted together: their places in the table are touched
first, so that the memory fetches all of them at once instead of one after the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spark_fuzz.packing import PackedFields
from spark_fuzz.walk import find_enabled, find_ranges, fire, judge

NO_ROOM_IN_FIELD = -1
NO_ROOM_IN_BUFFER = -2
"""What ``collect_successors`` returns instead of a count."""


class Space(NamedTuple):
    """What is searched."""

    fields: PackedFields
    slave_cells: Any
    """Of ``Packing``; no rows where slaves are told apart."""
    is_searched: Any
    """1 for an instance that is to fire, 0 for one that is left out."""


class Store(NamedTuple):
    """All states found so far."""

    words: Any
    """int64, shape (states, words): the packed states in the order in which they were found."""
    parents: Any
    """int32, shape (states,): the state of which each was a successor."""
    table: Any
    """int32, a power of two of slots: the number of a state plus one, or 0; open addressing."""


class Buffer(NamedTuple):
    """Successors that wait for their insertion, a row each."""

    words: Any
    actions: Any
    """The instance, then its arguments."""
    parents: Any
    slots: Any


class Scratch(NamedTuple):
    """Working memory of one expansion."""

    state: Any
    enabled: Any
    ranges: Any
    arguments: Any


def unpack_state(words: Any, fields: Any, state: Any) -> None:
    """Write the packed leaves into ``state``; the others stay as they are."""
    for i in range(len(fields.cells)):
        state[fields.cells[i]] = (words[fields.words[i]] >> fields.shifts[i] & fields.masks[i]) + (
            fields.lows[i]
        )


def pack_state(state: Any, fields: Any, words: Any) -> bool:
    """Write a state's words; False when a leaf does not fit into its field."""
    words[:] = 0
    is_fitting = True
    for i in range(len(fields.cells)):
        value = min(state[fields.cells[i]], fields.tops[i]) - fields.lows[i]
        is_fitting &= 0 <= value <= fields.masks[i]
        words[fields.words[i]] |= value << fields.shifts[i]
    return is_fitting


def is_before(state: Any, one: Any, other: Any) -> bool:
    """The leaves in the cells ``one`` come before those in the cells ``other``."""
    for i in range(len(one)):
        if state[one[i]] != state[other[i]]:
            return state[one[i]] < state[other[i]]
    return False


def order_slaves(state: Any, slave_cells: Any) -> None:
    """Exchange slaves, each with its link, until they are in order: which is which is no matter."""
    for first in range(len(slave_cells)):
        for second in range(first + 1, len(slave_cells)):
            if is_before(state, slave_cells[second], slave_cells[first]):
                for i in range(slave_cells.shape[1]):
                    kept = state[slave_cells[first, i]]
                    state[slave_cells[first, i]] = state[slave_cells[second, i]]
                    state[slave_cells[second, i]] = kept


def advance_arguments(arguments: Any, ranges: Any, count: int) -> bool:
    """The next combination of arguments, the last one moving fastest; False behind the last."""
    for i in range(count - 1, -1, -1):
        if arguments[i] < ranges[2 * i + 1]:
            arguments[i] += 1
            return True
        arguments[i] = ranges[2 * i]
    return False


def collect_successors(
    base: Any, parameters: Any, space: Any, scratch: Any, buffer: Any, filled: int
) -> int:
    """Append a row to the buffer for every successor of a state; return how many rows it has then.

    Rows are in the order of instances and arguments. Returns NO_ROOM_IN_FIELD, with the state in
    ``scratch.state``, or NO_ROOM_IN_BUFFER.
    """
    ranges, arguments = scratch.ranges, scratch.arguments
    for i in range(find_enabled(base, parameters, scratch.enabled)):
        instance = scratch.enabled[i]
        if not space.is_searched[instance]:
            continue
        count = find_ranges(base, parameters, instance, ranges)
        for k in range(count):
            arguments[k] = ranges[2 * k]
        is_more = True
        while is_more:
            if filled == len(buffer.words):
                return NO_ROOM_IN_BUFFER
            scratch.state[:] = base
            fire(scratch.state, parameters, instance, arguments)
            order_slaves(scratch.state, space.slave_cells)
            if not pack_state(scratch.state, space.fields, buffer.words[filled]):
                return NO_ROOM_IN_FIELD
            buffer.actions[filled, 0] = instance
            buffer.actions[filled, 1:] = arguments
            filled += 1
            is_more = advance_arguments(arguments, ranges, count)
    return filled


def compute_slot(words: Any, mask: int) -> int:
    """Where in the table a state is looked for first."""
    value = 0
    for i in range(len(words)):
        value = (value ^ words[i]) * 0x1E3779B97F4A7C15
        value ^= (value >> 32) & 0xFFFFFFFF
    return value & mask


def is_same_row(one: Any, other: Any) -> bool:
    """Two states are the same, word by word."""
    for i in range(len(one)):
        if one[i] != other[i]:
            return False
    return True


def insert_rows(buffer: Any, filled: int, store: Any, count: int) -> int:
    """Number the buffer's states that are new; return how many states there are then.

    Stops at a full store. A slot of the table holds the number of a state plus one, or 0.
    """
    mask = len(store.table) - 1
    touched = 0
    for i in range(filled):
        buffer.slots[i] = compute_slot(buffer.words[i], mask)
        touched |= store.table[buffer.slots[i]]
    for i in range(filled):
        number = store.table[buffer.slots[i]]
        if number:
            touched |= store.words[number - 1, 0]
    buffer.slots[filled:] = touched & 0
    for i in range(filled):
        slot = buffer.slots[i]
        while store.table[slot] and not is_same_row(
            store.words[store.table[slot] - 1], buffer.words[i]
        ):
            slot = (slot + 1) & mask
        if store.table[slot] == 0:
            if count == len(store.words):
                return count
            store.words[count] = buffer.words[i]
            store.parents[count] = buffer.parents[i]
            count += 1
            store.table[slot] = count
    return count


def expand_states(
    first: int, count: int, initial: Any, parameters: Any, space: Any, scratch: Any, buffer: Any,
    store: Any, batch: int,
) -> int:
    """Find the successors of the states from ``first`` to the last one; return the new count.

    Successors are inserted as soon as at least ``batch`` of them are collected. Returns what
    ``collect_successors`` returns when it fails.
    """
    base = initial.copy()
    filled = 0
    known = count
    for number in range(first, known):
        unpack_state(store.words[number], space.fields, base)
        end = collect_successors(base, parameters, space, scratch, buffer, filled)
        if end < 0:
            return end
        buffer.parents[filled:end] = number
        filled = end
        if filled >= batch:
            count = insert_rows(buffer, filled, store, count)
            filled = 0
        if count == len(store.words):
            return count
    return insert_rows(buffer, filled, store, count)


def judge_states(
    first: int, last: int, initial: Any, parameters: Any, space: Any, store: Any, violating: Any
) -> None:
    """Note the first state per guarantee that violates it, among those from ``first`` to ``last``.

    ``violating`` holds a number of a state per guarantee, -1 for none so far.
    """
    state = initial.copy()
    for number in range(first, last):
        unpack_state(store.words[number], space.fields, state)
        violated = judge(state, parameters)
        for bit in range(len(violating)):
            if violated >> bit & 1 and violating[bit] < 0:
                violating[bit] = number

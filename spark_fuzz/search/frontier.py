"""The inner loops of breadth-first search: expand, pack, insert, judge. Compiled by the kernel.

The text from the first function on follows the lowered rules in each generated module. States are
rows of words, numbered in the order in which they are found; row 0 is the initial state. Successors
are collected in rows of a buffer, and inserted together: their places in the table are touched
first, so that the memory fetches all of them at once instead of one after the other.

A step is asleep in a state if the state before has it too, and it does not matter which of the two
steps from there comes first: the other order is computed (spec/campaigns.md has the proof).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spark_fuzz.kernel.walk import find_enabled, find_ranges, fire, judge
from spark_fuzz.search.packing import CELL, LOW, MASK, SHIFT, STRIDE, TOP, WORD

NO_ROOM_IN_FIELD = -1
NO_ROOM_IN_BUFFER = -2
"""The failure codes of ``collect_successors``, returned instead of a count."""


class Space(NamedTuple):
    """The search space."""

    fields: Any
    """Of ``Packing``."""
    writes: Any
    """Of ``compute_writes``."""
    slave_cells: Any
    """Of ``Packing``; no rows if slaves are distinguished."""
    picture_fields: Any
    """Of ``compute_picture_fields``."""
    can_reach_violation: Any
    """Of ``ViolationReachability``."""
    bits: Any
    """Of ``compute_independence``: the bit of each instance."""
    earlier: Any
    """Of ``compute_independence``: the bits of independent instances before each."""


class Store(NamedTuple):
    """All states found so far."""

    words: Any
    """int64, shape (states, words): the packed states in the order in which they were found."""
    parents: Any
    """int32, shape (states,): the state of which each was a successor."""
    asleep: Any
    """int64, shape (states,): the bits of the steps that need not be taken from each."""
    table: Any
    """int32, a power of two of slots: the number of a state plus one, or 0; open addressing."""


class Buffer(NamedTuple):
    """Successors that wait for their insertion, a row each."""

    words: Any
    actions: Any
    """The instance, then its arguments."""
    parents: Any
    asleep: Any
    slots: Any
    """The first slot of the table in which each is searched."""
    touched: Any
    """One number without meaning, see ``touch_slots``."""


class Scratch(NamedTuple):
    """Working memory of one expansion."""

    words: Any
    """The state whose successors are collected, packed; one row."""
    base: Any
    """That state, unpacked."""
    state: Any
    """One of the successors."""
    enabled: Any
    ranges: Any
    arguments: Any


def unpack_state(rows: Any, row: int, fields: Any, state: Any) -> None:
    """Write the packed leaves into ``state``; the others stay unchanged."""
    for i in range(len(fields)):
        value = rows[row, fields[i, WORD]] >> fields[i, SHIFT] & fields[i, MASK]
        state[fields[i, CELL]] = value + fields[i, LOW]


def pack_field(state: Any, fields: Any, i: int, rows: Any, row: int) -> bool:
    """Write one leaf into its field of a row; False when it does not fit."""
    value = min(state[fields[i, CELL]], fields[i, TOP]) - fields[i, LOW]
    mask, shift, word = fields[i, MASK], fields[i, SHIFT], fields[i, WORD]
    rows[row, word] = (rows[row, word] & ~(mask << shift)) | (value << shift)
    is_fitting: bool = 0 <= value <= mask
    return is_fitting


def pack_state(state: Any, fields: Any, rows: Any, row: int) -> bool:
    """Write a state into a row; False when a leaf does not fit into its field."""
    for i in range(rows.shape[1]):
        rows[row, i] = 0
    is_fitting = True
    for i in range(len(fields)):
        is_fitting &= pack_field(state, fields, i, rows, row)
    return is_fitting


def find_picture(state: Any, picture_fields: Any) -> int:
    """The number of a state's picture."""
    number = 0
    for i in range(len(picture_fields)):
        value = min(state[picture_fields[i, CELL]], picture_fields[i, TOP])
        number += (value - picture_fields[i, LOW]) * picture_fields[i, STRIDE]
    return number


def is_before(state: Any, one: Any, other: Any) -> bool:
    """The leaves in the cells ``one`` come before those in the cells ``other``."""
    for i in range(len(one)):
        if state[one[i]] < state[other[i]]:
            return True
        if state[one[i]] > state[other[i]]:
            return False
    return False


def order_slaves(state: Any, slave_cells: Any) -> bool:
    """Exchange slaves, each with its link, until they are in order; False when they were."""
    is_changed = False
    for first in range(len(slave_cells)):
        for second in range(first + 1, len(slave_cells)):
            if is_before(state, slave_cells[second], slave_cells[first]):
                is_changed = True
                for i in range(slave_cells.shape[1]):
                    kept = state[slave_cells[first, i]]
                    state[slave_cells[first, i]] = state[slave_cells[second, i]]
                    state[slave_cells[second, i]] = kept
    return is_changed


def pack_successor(  # noqa: PLR0913, PLR0917
    instance: int, scratch: Any, space: Any, is_exchanged: bool, rows: Any, row: int
) -> bool:
    """Write a successor into a row; False when a leaf does not fit.

    If no slaves were exchanged, it is the state before except for the instance's writes.
    """
    if is_exchanged:
        return pack_state(scratch.state, space.fields, rows, row)
    for i in range(rows.shape[1]):
        rows[row, i] = scratch.words[0, i]
    is_fitting = True
    for i in range(1, space.writes[instance, 0] + 1):
        field = space.writes[instance, i]
        is_fitting &= pack_field(scratch.state, space.fields, field, rows, row)
    return is_fitting


def advance_arguments(arguments: Any, ranges: Any, count: int) -> bool:
    """The next combination of arguments, the last one moving fastest; False after the last."""
    for i in range(count - 1, -1, -1):
        if arguments[i] < ranges[2 * i + 1]:
            arguments[i] += 1
            return True
        arguments[i] = ranges[2 * i]
    return False


def collect_successors(  # noqa: PLR0913, PLR0917
    parameters: Any, space: Any, scratch: Any, buffer: Any, filled: int, asleep: int
) -> int:
    """Append a row to the buffer for the successors of a state; return its number of rows.

    Successors without prospects get none, and neither do those of steps that are asleep.
    The state is in ``scratch``, packed and unpacked.

    Rows are in the order of instances and arguments. Returns NO_ROOM_IN_FIELD, with the state in
    ``scratch.state``, or NO_ROOM_IN_BUFFER.
    """
    base, state, enabled = scratch.base, scratch.state, scratch.enabled
    ranges, arguments, rows = scratch.ranges, scratch.arguments, buffer.words
    is_symmetric = len(space.slave_cells) > 1
    taken: Any = np.int64(0)
    for i in range(find_enabled(base, parameters, enabled)):
        instance = enabled[i]
        if space.writes[instance, 0] < 0:
            continue
        if space.bits[instance] & asleep:
            taken |= space.bits[instance] * (not is_symmetric)
            continue
        count = find_ranges(base, parameters, instance, ranges)
        for k in range(count):
            arguments[k] = ranges[2 * k]
        is_more, is_any_exchanged = True, False
        while is_more:
            if filled == len(rows):
                return NO_ROOM_IN_BUFFER
            for k in range(len(base)):
                state[k] = base[k]
            fire(state, parameters, instance, arguments)
            for k in range(count):
                buffer.actions[filled, k + 1] = arguments[k]
            is_more = advance_arguments(arguments, ranges, count)
            if not space.can_reach_violation[find_picture(state, space.picture_fields)]:
                continue
            is_exchanged = is_symmetric and order_slaves(state, space.slave_cells)
            if not pack_successor(instance, scratch, space, is_exchanged, rows, filled):
                return NO_ROOM_IN_FIELD
            buffer.actions[filled, 0] = instance
            buffer.asleep[filled] = 0 if is_exchanged else taken & space.earlier[instance]
            is_any_exchanged |= is_exchanged
            filled += 1
        if not is_any_exchanged:
            taken |= space.bits[instance]
    return filled


def compute_slot(rows: Any, row: int, mask: int) -> int:
    """The first slot of the table in which a state is searched."""
    value = 0
    for i in range(rows.shape[1]):
        value = (value ^ rows[row, i]) * 0x1E3779B97F4A7C15
        value ^= (value >> 32) & 0xFFFFFFFF
    return value & mask


def is_same_row(rows: Any, row: int, others: Any, other: int) -> bool:
    """Two states are the same, word by word."""
    is_same = True
    for i in range(rows.shape[1]):
        is_same &= rows[row, i] == others[other, i]
    return is_same


def touch_slots(buffer: Any, filled: int, store: Any) -> int:
    """Compute the slots of the buffer's states, and prefetch the entries for comparison.

    The returned sum has no meaning; it prevents the reads from being optimised away.
    """
    rows, slots, table, words = buffer.words, buffer.slots, store.table, store.words
    mask = len(table) - 1
    total = 0
    for i in range(filled):
        slots[i] = compute_slot(rows, i, mask)
        total += table[slots[i]]
    for i in range(filled):
        number = table[slots[i]]
        if number > 0:
            total += words[number - 1, 0]
    return total


def insert_rows(buffer: Any, filled: int, store: Any, count: int) -> int:
    """Number the buffer's new states; return the new number of states.

    Stops at a full store.
    """
    buffer.touched[0] = touch_slots(buffer, filled, store)
    rows, slots, parents = buffer.words, buffer.slots, buffer.parents
    table, words, parents_of_states = store.table, store.words, store.parents
    asleep = store.asleep
    mask = len(table) - 1
    for i in range(filled):
        slot = slots[i]
        number = table[slot]
        while number > 0 and not is_same_row(words, number - 1, rows, i):
            slot = (slot + 1) & mask
            number = table[slot]
        if number == 0:
            if count == len(words):
                return count
            for k in range(rows.shape[1]):
                words[count, k] = rows[i, k]
            parents_of_states[count] = parents[i]
            asleep[count] = buffer.asleep[i]
            count += 1
            table[slot] = count
    return count


def expand_states(  # noqa: PLR0913, PLR0917
    first: int,
    count: int,
    parameters: Any,
    space: Any,
    scratch: Any,
    buffer: Any,
    store: Any,
    batch: int,
) -> int:
    """Find the successors of the states from ``first`` to the last one; return the new count.

    Successors are inserted as soon as at least ``batch`` of them are collected. Returns what
    ``collect_successors`` returns when it fails.
    """
    # A literal 0 would have the callees compiled twice.
    filled: Any = np.int64(0)
    for number in range(first, count):
        for i in range(store.words.shape[1]):
            scratch.words[0, i] = store.words[number, i]
        unpack_state(store.words, number, space.fields, scratch.base)
        asleep = store.asleep[number]
        end = collect_successors(parameters, space, scratch, buffer, filled, asleep)
        if end < 0:
            return end
        for i in range(filled, end):
            buffer.parents[i] = number
        filled = end
        if filled >= batch:
            count = insert_rows(buffer, filled, store, count)
            filled = np.int64(0)
        if count == len(store.words):
            return count
    return insert_rows(buffer, filled, store, count)


def judge_states(  # noqa: PLR0913, PLR0917
    first: int, last: int, parameters: Any, space: Any, scratch: Any, store: Any, violating: Any
) -> None:
    """Note the first state per guarantee that violates it, among those from ``first`` to ``last``.

    ``violating`` holds a number of a state per guarantee, -1 for none so far.
    """
    for number in range(first, last):
        unpack_state(store.words, number, space.fields, scratch.base)
        violated = judge(scratch.base, parameters)
        for bit in range(len(violating)):
            if violated >> bit & 1 and violating[bit] < 0:
                violating[bit] = number

"""What the inner loops of breadth-first search work on: the arrays of ``search.c``.

States are rows of words, numbered in the order in which they are found; row 0 is the initial state.
Successors are collected in rows of a buffer, and inserted together: their places in the table are
touched first, so that the memory fetches all of them at once instead of one after the other.

A step is asleep in a state if the state before has it too, and it does not matter which of the two
steps from there comes first: the other order is computed (spec/campaigns.md has the proof).
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


class StateStore(NamedTuple):
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

"""States packed into a few 64-bit words: the bits and the word of each leaf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import frozen

from properties.language.world import get_largest_size
from properties.schedules.possible_steps import LOWEST
from reference.language.operator_table import Sort
from reference.language.parameters import BaseParameters
from spark_fuzz.kernel.layout import Layout
from spark_fuzz.search.influence import Influence, find_independent
from spark_fuzz.search.safe_states import ViolationReachability

NOTHING_EXCEEDS = 1 << 62
"""Marks a leaf of which every value matters."""

BITS_PER_WORD = 62
"""No field reaches the sign bit, so that shifts and comparisons need no care."""

CELL, LOW, TOP, MASK, WORD, SHIFT = range(6)
"""A field's data: the index of its leaf in the unpacked state; the smallest value, stored as 0; the
value that represents all larger ones; a mask of its width; the word that holds it; its lowest
bit in that word."""


class FieldOverflowError(ValueError):
    """Raised when leaves take values that their bits cannot hold: ``values`` by their paths."""

    def __init__(self, where: str, values: Mapping[str, int]) -> None:
        super().__init__(f"{where}: {', '.join(f'{p} = {v}' for p, v in values.items())}")
        self.values = values


class CrowdedBufferError(ValueError):
    """Raised when a state has more successors than there is room for; the search has no result."""


@frozen
class Packing:
    """The packing of the leaves that matter."""

    paths: tuple[str, ...]
    """The packed leaves; all others keep their initial value."""
    fields: Any
    """int64, shape (packed leaves, 6): CELL to SHIFT of each."""
    word_count: int
    """Words per state."""
    slave_cells: Any
    """The indexes in the unpacked state of the packed leaves of each slave and its link, in the
    same order for each: int64, shape (slaves, leaves of one)."""


def compute_packing(
    layout: Layout,
    parameters: BaseParameters,
    influence: Influence,
    largest: Mapping[str, int] = MappingProxyType({}),
) -> Packing:
    """Give each leaf that matters its bits; those in ``largest`` so many that this value fits."""
    rows, word, shift = [], 0, 0
    for path in influence.leaves:
        low, high = compute_range(path, layout, parameters)
        high = influence.highest.get(path, max(high, largest.get(path, high)))
        bits = (high - low).bit_length()
        top = high if path in influence.highest else NOTHING_EXCEEDS
        if shift + bits > BITS_PER_WORD:
            word, shift = word + 1, 0
        cell = layout.state_paths.index(path)
        rows.append((cell, low, top, (1 << bits) - 1, word, shift))
        shift += bits
    fields = np.array(rows, np.int64).reshape(-1, 6)
    slave_cells = find_slave_cells(layout, influence.leaves)
    return Packing(influence.leaves, fields, word + 1, slave_cells)


def compute_range(path: str, layout: Layout, parameters: BaseParameters) -> tuple[int, int]:
    """The smallest and the largest value of a leaf.

    A fault happens at most as often as its limit. Every other number is an offset, at most the end
    of the modelled log or queue, which is the largest size; or a code; or a count, which grows by
    at most one per step. A count outgrows this range in a long search: packing notices it, and the
    search starts again with more bits.
    """
    if layout.sorts[path] is Sort.BOOLEAN:
        return 0, 1
    if path.startswith("faults."):
        return 0, int(getattr(parameters.limits, path.removeprefix("faults.")))
    return LOWEST, max(layout.structure.world.numbers.highest_code, get_largest_size(parameters))


def compute_writes(layout: Layout, influence: Influence) -> Any:
    """The fields that each instance writes: their number, then their indexes; int64, a row each.

    The number is -1 for an instance that is left out.
    """
    written = [
        [influence.leaves.index(p) for p in r.effects if p in influence.leaves]
        for r in layout.instances
    ]
    writes = np.full((len(written), 1 + max(map(len, written))), -1, np.int64)
    for row, recorded, fields in zip(writes, layout.instances, written, strict=True):
        if recorded.instance.name in influence.instances:
            row[: 1 + len(fields)] = [len(fields), *fields]
    return writes


def compute_independence(layout: Layout, influence: Influence) -> tuple[Any, Any]:
    """For each instance its bit, and the bits of those before it that are independent of it.

    Both int64, shape (instances,). The bit is 0 for an instance that is left out, and for those
    that are one too many for the bits of a word.
    """
    independent = find_independent(influence)
    bits = {
        recorded.instance.name: (index, 1 << number)
        for number, (index, recorded) in enumerate(
            (i, r) for i, r in enumerate(layout.instances) if r.instance.name in independent
        )
        if number < BITS_PER_WORD
    }
    bit, earlier = np.zeros((2, len(layout.instances)), np.int64)
    for index, recorded in enumerate(layout.instances):
        name = recorded.instance.name
        bit[index] = bits[name][1] if name in bits else 0
        for other in independent.get(name, ()):
            if other in bits and bits[other][0] < index:
                earlier[index] |= bits[other][1]
    return bit, earlier


def compute_picture_fields(layout: Layout, reachability: ViolationReachability) -> Any:
    """How the number of a picture follows from an unpacked state: int64, a row per pictured leaf.

    CELL, LOW and TOP as in a field, then the weight of a step of one in this leaf.
    """
    rows, stride = [], 1
    for path, domain in reversed(list(reachability.domains.items())):
        low, top = int(domain[0]), int(domain[-1])
        rows.append((layout.state_paths.index(path), low, top, stride))
        stride *= len(domain)
    return np.array(rows, np.int64).reshape(-1, 4)


def find_slave_cells(layout: Layout, paths: Sequence[str]) -> Any:
    """The cells of each interchangeable slave and its link, in the same order for each."""
    names = layout.structure.world.numbers.parts.get("slave", ())
    parts: list[list[str]] = []
    for slave in range(layout.structure.index_counts.get("slave", 0)):
        begins = tuple(f"{name}.{slave}." for name in names)
        parts.append([p for p in paths if p.startswith(begins)])
    rows = [[layout.state_paths.index(p) for p in part] for part in parts]
    return np.array(rows, np.int64).reshape(len(rows), len(rows[0]) if rows else 0)


def find_overflow(packing: Packing, state: Any) -> dict[str, int]:
    """The leaves of a state that do not fit, with their values."""
    return {
        path: int(state[field[CELL]])
        for path, field in zip(packing.paths, packing.fields, strict=True)
        if not 0 <= min(state[field[CELL]], field[TOP]) - field[LOW] <= field[MASK]
    }

"""What is still to be seen of each leaf of the state, and how far it may go before that.

A pin says which value a leaf has at a moment. Offsets only grow until a process, a connection or a
store ends, so the smallest value that is to be seen before that is a cap: whoever goes beyond it
contradicts what will be seen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from attrs import define, evolve, field, frozen

from brokers.explaining.seen.moments import Key

UNBOUNDED = math.inf


@frozen
class Pin:
    """A leaf and its value at a moment."""

    leaf: str
    value: int | None
    """None: the leaf is forgotten there, and later pins say nothing of earlier values."""
    key: Key
    """The moment."""
    t_ms: float


@define(eq=False)
class Pins:
    """The pins of a recording, by leaf, and how many of each leaf are past."""

    by_leaf: Mapping[str, Sequence[Pin]]
    passed: dict[str, int] = field(factory=dict)
    _lowest: Mapping[str, Sequence[float]] = field(factory=dict)
    _leaves: Mapping[Key, Collection[str]] = field(factory=dict)

    @classmethod
    def gather(cls, pins: Iterable[Pin]) -> Pins:
        """In the order of their moments."""
        by_leaf: dict[str, list[Pin]] = defaultdict(list)
        leaves: dict[Key, set[str]] = defaultdict(set)
        for pin in pins:
            by_leaf[pin.leaf].append(pin)
            leaves[pin.key].add(pin.leaf)
        lowest = {leaf: compute_lowest(each) for leaf, each in by_leaf.items()}
        return cls(by_leaf, dict.fromkeys(by_leaf, 0), lowest=lowest, leaves=leaves)

    def find_next(self, leaf: str) -> Pin | None:
        """The next pin of a leaf, or where it is forgotten; None if there is none."""
        pins, number = self.by_leaf.get(leaf, ()), self.passed.get(leaf, 0)
        return pins[number] if number < len(pins) else None

    def find_next_value(self, leaf: str) -> int | None:
        """The next value that is seen of a leaf before it is forgotten; None if there is none."""
        pin = self.find_next(leaf)
        return None if pin is None else pin.value

    def compute_cap(self, leaf: str) -> float:
        """The smallest value that is seen of a leaf before it is forgotten."""
        if leaf not in self.by_leaf:
            return UNBOUNDED
        return self._lowest[leaf][self.passed[leaf]]

    def list_lowest(self) -> Iterator[Pin]:
        """The pin that bounds each leaf most before it is forgotten."""
        for leaf, pins in self.by_leaf.items():
            ahead = takewhile(lambda pin: pin.value is not None, pins[self.passed[leaf] :])
            if (lowest := min(ahead, key=lambda pin: pin.value or 0, default=None)) is not None:
                yield lowest

    def pass_moment(self, key: Key) -> None:
        """A moment is over, and with it its pins."""
        for leaf in self._leaves.get(key, ()):
            pins, number = self.by_leaf[leaf], self.passed[leaf]
            while number < len(pins) and pins[number].key == key:
                number += 1
            self.passed[leaf] = number

    def forget(self, key: Key) -> None:
        """What a moment makes one forget is over; what it shows bounds what happens in it."""
        for leaf in self._leaves.get(key, ()):
            pins, number = self.by_leaf[leaf], self.passed[leaf]
            own = [n for n, pin in enumerate(pins[number:], number) if pin.key == key]
            nothing = [n for n in own if pins[n].value is None]
            self.passed[leaf] = nothing[-1] + 1 if nothing else number

    def postpone(self, key: Key, others: Collection[Key]) -> None:
        """A moment comes after others; what it shows still bounds what was before."""
        by_leaf, lowest = dict(self.by_leaf), dict(self._lowest)
        for leaf in self._leaves.get(key, ()):
            pins, number = self.by_leaf[leaf], self.passed[leaf]
            own = [pin for pin in pins[number:] if pin.key == key]
            rest = [pin for pin in pins[number:] if pin.key != key]
            place = 1 + max((n for n, pin in enumerate(rest) if pin.key in others), default=-1)
            by_leaf[leaf] = [*pins[:number], *rest[:place], *own, *rest[place:]]
            lowest[leaf] = compute_lowest(by_leaf[leaf])
        self.by_leaf, self._lowest = by_leaf, lowest

    def copy(self) -> Pins:
        """The same, of which other moments may pass."""
        return evolve(self, passed=dict(self.passed))


def compute_lowest(pins: Sequence[Pin]) -> list[float]:
    """The cap by how many pins of a leaf are past; shape: (number of pins + 1,)."""
    lowest = [UNBOUNDED] * (len(pins) + 1)
    for number in reversed(range(len(pins))):
        value = pins[number].value
        lowest[number] = UNBOUNDED if value is None else min(value, lowest[number + 1])
    return lowest

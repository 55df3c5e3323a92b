"""How a recording writes what the model has other names for: addresses, and the time of the day.

A recorder may replace addresses by symbols such as ``<master>``, or not. The stamp of a version is
a time of the day, which no other line tells: until a look shows it, it has the time of its cause
in the recording, with a minus sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from brokers.recordings.clock import SKEW_MS

ADDRESS = re.compile(r"[^<>\s]+:\d+")
"""An address with its port."""


def name_stamp(cause_ms: float) -> float:
    """The stamp of a version that no look has shown yet, by the time of its cause."""
    return -cause_ms


def is_named(stamp_ms: float) -> bool:
    """No look has shown this stamp yet."""
    return stamp_ms <= 0


@frozen
class Symbols:
    """What a recording has shown of both so far."""

    addresses: Mapping[str, str] = field(factory=dict)
    """By address: the symbol that it stands for."""
    starts: frozenset[float] = frozenset()
    """Stamps of starts: a broker's tables are made some time before its start is over."""
    wall_low_ms: float = float("-inf")
    wall_high_ms: float = float("inf")
    """Between these lies the time of the day at which the recording's clock was 0."""

    def add_start(self, stamp_ms: float) -> Symbols:
        """With the stamp of one more start."""
        return evolve(self, starts=self.starts | {stamp_ms})

    def learn_address(self, shown: object, symbols: Sequence[str | None]) -> Symbols:
        """An address that was not seen before stands for the first symbol that has none."""
        is_new = isinstance(shown, str) and ADDRESS.fullmatch(shown) and shown not in self.addresses
        free = [each for each in symbols if each and each not in self.addresses.values()]
        if not is_new or not free:
            return self
        return evolve(self, addresses={**self.addresses, str(shown): free[0]})

    def exchange(self, symbols: Mapping[str, str]) -> Symbols:
        """With other symbols for the same addresses, where two brokers exchange their places."""
        renamed = {each: symbols.get(symbol, symbol) for each, symbol in self.addresses.items()}
        return evolve(self, addresses=renamed)

    def find_symbol(self, shown: object) -> object:
        """What something shown stands for; others stand for themselves."""
        return self.addresses.get(shown, shown) if isinstance(shown, str) else shown

    def may_be_stamp(self, stamp_ms: float, shown_ms: float, now_ms: float) -> bool:
        """A stamp that no look has shown yet may be this time of the day."""
        narrowed = self.learn_stamp(stamp_ms, shown_ms, now_ms)
        return narrowed.wall_low_ms <= narrowed.wall_high_ms

    def learn_stamp(self, stamp_ms: float, shown_ms: float, now_ms: float) -> Symbols:
        """What is shown of a stamp lies between its cause and now."""
        low, high = max(self.wall_low_ms, shown_ms - now_ms - SKEW_MS), self.wall_high_ms
        if stamp_ms not in self.starts:
            high = min(high, shown_ms + stamp_ms + SKEW_MS)
        return evolve(self, wall_low_ms=low, wall_high_ms=high)

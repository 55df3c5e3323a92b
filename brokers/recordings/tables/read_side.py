"""What a recording has shown so far of the settings, tables and sizes that reads depend on.

None of it is part of the model's state, which tells of replication only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from reference.decisions.reading.settings import DOUBLE_EXACT_BELOW, compute_memory_bytes
from reference.decisions.reading.subscription_group import SubscriptionGroup

LEAST_TOTAL_BYTES = 2**30
"""Where nothing shows a machine's memory: no Java broker starts with less."""

Span: TypeAlias = tuple[int, int, int]
"""From one queue offset to another: how many bytes its messages have together."""

Content = TypeVar("Content")


@frozen
class MemoryRange:
    """The least and the most bytes of memory that a machine may have."""

    low_bytes: int = LEAST_TOTAL_BYTES
    high_bytes: int = DOUBLE_EXACT_BELOW - 1

    def narrow(self, ratio: int, threshold_bytes: int) -> MemoryRange | None:
        """What is left once a threshold was shown; None when no machine has that threshold."""
        low = find_least_total(ratio, threshold_bytes, self)
        high = find_least_total(ratio, threshold_bytes + 1, self) - 1
        return MemoryRange(low, high) if low <= high else None


def find_least_total(ratio: int, threshold_bytes: int, within: MemoryRange) -> int:
    """The least memory of a range whose threshold is this or more; one above the range for none.

    More memory never means a lower threshold, so halving finds it.
    """
    low, high = within.low_bytes, within.high_bytes + 1
    while low < high:
        middle = (low + high) // 2
        if compute_memory_bytes(middle, ratio) >= threshold_bytes:
            high = middle
        else:
            low = middle + 1
    return low


@frozen
class NodeView:
    """What was shown of one broker."""

    properties: Mapping[str, Any] = field(factory=dict)
    """Properties that were set while it runs."""
    groups: Mapping[str, SubscriptionGroup] = field(factory=dict)
    """The subscription groups that it knows."""
    topics: Mapping[str, int | None] = field(factory=dict)
    """The topics that it knows, with the number of their queues where that was shown."""
    memory: MemoryRange = MemoryRange()
    queues: Mapping[str, tuple[int, int]] = field(factory=dict)
    """The ends of its queues when they were shown last, in this process."""


@frozen
class ReadSide:
    """What was shown of all brokers."""

    nodes: Mapping[str, NodeView] = field(factory=dict)
    """By the broker's name."""
    sent: Mapping[str, float] = field(factory=dict)
    """By queue: how many messages a whole master has taken, where an answer showed it; any number
    of those that it delivers later."""
    spans: Mapping[str, tuple[Span, ...]] = field(factory=dict)
    """By queue: what reads have shown of the sizes of messages that are not recorded."""

    def get_node(self, name: str) -> NodeView:
        """What was shown of one broker."""
        return self.nodes.get(name, NodeView())

    def change_node(self, name: str, **changes: Any) -> ReadSide:
        """The same with one broker changed."""
        view = evolve(self.get_node(name), **changes)
        return evolve(self, nodes={**self.nodes, name: view})

    def add_span(self, name: str, span: Span) -> ReadSide:
        """The same with one more."""
        known = self.spans.get(name, ())
        return self if span in known else evolve(self, spans={**self.spans, name: (*known, span)})


def extend(table: Mapping[str, Content], name: str, content: Content) -> dict[str, Content]:
    """A table with one more entry, or another one in its place."""
    return {**table, name: content}


def compute_bytes_between(spans: tuple[Span, ...], begin: int, end: int) -> int | None:
    """How many bytes lie between two queue offsets, as sums and differences tell; None: unknown."""
    found = {begin: 0}
    waiting = deque([begin])
    while waiting:
        here = waiting.popleft()
        for low, high, size in spans:
            for start, stop, step in ((low, high, size), (high, low, -size)):
                if start == here and stop not in found:
                    found[stop] = found[here] + step
                    waiting.append(stop)
    return found.get(end)

"""Everything that is said of some stores, in the order of reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brokers.disk.stability import Stability
from brokers.disk.stored_brokers import StoredBroker
from command_line.answers.stores.lines import describe_broker, describe_pair, describe_sought
from command_line.answers.stores.mending import describe_mending
from command_line.answers.stores.pair import Pair


def describe_stores(
    brokers: Sequence[StoredBroker], pairs: Sequence[Pair], changes: Sequence[Stability | None]
) -> Iterator[str]:
    """The whole text. ``changes``: for each store, what happened while it was read."""
    for broker, change in zip(brokers, changes, strict=True):
        yield from describe_broker(broker)
        if change is not None:
            yield (
                f"  While it was read {change.change.value}, from {change.before_offset} to "
                f"{change.now_offset}: what is said holds for the earlier state."
            )
    for pair in pairs:
        yield from describe_pair(pair)
        yield from describe_mending(pair)
        yield from describe_sought(pair)

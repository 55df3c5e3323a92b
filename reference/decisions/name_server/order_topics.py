"""Topics that are in order by the name server's word: each broker takes it from its registration.

Source: TopicConfigManager#updateOrderTopicConfig of 4.4.0; the answer to a registration carries
what the name server's administrator has set in the namespace ``ORDER_TOPIC_CONFIG``.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve, frozen

from reference.decisions.metadata.broker_tables import VersionedTable


@frozen
class TopicOrder:
    """What of a topic's configuration this is about."""

    is_order: bool = False
    """``TopicConfig.order``."""


def take_order(
    topics: VersionedTable[TopicOrder],
    answered: Collection[str] | None,
    now_ms: float,
    *,
    is_one_way: bool = False,
) -> VersionedTable[TopicOrder]:
    """A broker's topics after a registration whose answer names these topics.

    None: the answer had no table. A one-way registration has no answer (R-NS-03).

    Named topics get the flag and all others lose it, whoever had set it. Where that changes any,
    the table gets a new version, on a slave too, so that the next copy replaces the slave's whole
    table (R-MS-09) though both brokers took the same word.
    """
    if answered is None or is_one_way:
        return topics
    entries = {n: evolve(t, is_order=n in answered) for n, t in topics.entries.items()}
    if entries == topics.entries:
        return topics
    return VersionedTable(topics.version.compute_next(now_ms), entries)

"""Whom the controller elects when a group has no master.

Source: DefaultElectPolicy#elect and #tryElect at 5.3.3. The epoch and the max offset of a broker
are those of its last heartbeat (``brokerHeartbeatInterval``, 1 s), so a shorter log may be elected
whatever the comparison does; the rules of replication leave open which member it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

from reference.decisions.hash_order import order_as_listed
from reference.store.java import to_int

BUCKETS = 16
"""Of a new HashSet."""


@frozen
class LiveBroker:
    """``BrokerLiveInfo``: what a broker's last heartbeat said."""

    broker_id: int
    """At least 1; the controller gives it to the broker."""
    epoch: int = 1
    max_offset_bytes: int = 0
    election_priority: int = 2**31 - 1
    """``electionPriority``; the lowest is preferred among equal brokers."""


Comparison = Callable[[LiveBroker, LiveBroker], int]
"""Below 0 if the first broker is preferred, 0 if they count as the same."""


def compare_cut(one: LiveBroker, other: LiveBroker) -> int:
    """The comparison before 5.5.1: beyond 2 GiB the difference of two ends changes its sign."""
    if one.epoch == other.epoch and one.max_offset_bytes != other.max_offset_bytes:
        return to_int(other.max_offset_bytes - one.max_offset_bytes)
    return compare_whole(one, other)


def compare_whole(one: LiveBroker, other: LiveBroker) -> int:
    """The comparison of 5.5.1 (issue 10578, pull request 10579): ends are compared as they are.

    The higher epoch is preferred, then the higher max offset, then the lower priority.
    """
    if one.epoch != other.epoch:
        return other.epoch - one.epoch
    if one.max_offset_bytes != other.max_offset_bytes:
        return 1 if one.max_offset_bytes < other.max_offset_bytes else -1
    return one.election_priority - other.election_priority


def find_preferred(brokers: Sequence[LiveBroker], compare: Comparison) -> LiveBroker:
    """``TreeSet#first`` after these were added in this order.

    One that compares as equal to another on its way down is not added. Up to three brokers the tree
    is as it grew; with more, a comparison that is no order may depend on how it was balanced.
    """
    root, smaller = brokers[0], [b for b in brokers[1:] if compare(b, brokers[0]) < 0]
    return find_preferred(smaller, compare) if smaller else root


def elect(
    members: Sequence[LiveBroker],
    compare: Comparison = compare_cut,
    *,
    old_master: int | None = None,
) -> int | None:
    """The id of the member that is elected among those alive; None if there is none.

    The old master stays the master if it is alive and in the set.
    """
    by_id = {broker.broker_id: broker for broker in members}
    if not by_id:
        return None
    if old_master in by_id:
        return old_master
    listed = [by_id[int(number)] for number in order_as_listed(by_id, BUCKETS)]
    return find_preferred(listed, compare).broker_id

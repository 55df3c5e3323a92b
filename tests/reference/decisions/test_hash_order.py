"""The order of java.util's hash tables."""

from __future__ import annotations

from reference.decisions.hash_order import order_as_listed
from reference.decisions.reading.client import order_as_hash_map


def test_buckets_come_before_the_order_of_arrival() -> None:
    """Which decides within a bucket only."""
    assert order_as_listed((17, 1, 2, 0), 16) == (0, 17, 1, 2)
    assert order_as_listed((1, 17), 16) == (1, 17)


def test_a_full_table_has_twice_as_many_buckets() -> None:
    """Thirteen entries in sixteen buckets are too many."""
    keys = (*range(12), 17)
    assert order_as_listed(keys[1:], 16).index(17) == 1
    assert order_as_listed(keys, 16)[-1] == 17


def test_ids_of_brokers_are_listed_alike() -> None:
    """Long keys in 16 buckets."""
    ids = (3, 16, 1, 0, 33)
    assert order_as_listed(ids, 16) == order_as_hash_map(ids)


def test_strings_are_listed_by_their_hash() -> None:
    """Folded: the hash of "polygenelubricants" is the least int, which goes to bucket 0 of 16."""
    assert order_as_listed(("b", "a", "polygenelubricants"), 16) == ("polygenelubricants", "a", "b")

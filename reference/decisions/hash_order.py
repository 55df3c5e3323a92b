"""The order in which the hash tables of java.util list their entries.

This order decides where a broker or a name server takes the first entry that fits, and where it
writes a table. Source: java.util.HashMap#hash, java.util.concurrent.ConcurrentHashMap#spread,
String#hashCode.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference.store.java import hash_string

INT_BITS = 0xFFFFFFFF


def compute_bucket(key: str | int, bucket_count: int) -> int:
    """The bucket of a String, an Integer or a Long."""
    if isinstance(key, str):
        folded = hash_string(key) & INT_BITS
    elif -(2**31) <= key < 2**31:
        # A negative Long folds to the complement of its low half, a different bucket from that of
        # an Integer; no key here is a negative Long.
        folded = key & INT_BITS
    else:
        folded = (key ^ (key >> 32)) & INT_BITS
    return (folded ^ (folded >> 16)) % bucket_count


def order_as_listed(keys: Iterable[str | int], bucket_count: int) -> tuple[str | int, ...]:
    """Keys as a table lists them: by bucket, within a bucket by insertion.

    A table that is more than three quarters full has twice as many buckets.
    """
    known = tuple(dict.fromkeys(keys))
    while 4 * len(known) > 3 * bucket_count:
        bucket_count *= 2
    return tuple(sorted(known, key=lambda key: compute_bucket(key, bucket_count)))

"""Looks at the bytes of a store: checksums, a scan from record to record, a comparison."""

from __future__ import annotations

from attrs import evolve

from reference.lineage import has_equal_bytes
from reference.state import CommitLog
from reference.trace.plan import MASTER
from reference.trace.reading import Event
from reference.trace.state import Blocked, Explanation, check


def explain_checksums(explanation: Explanation, event: Event) -> Explanation:
    """One CRC for each file: equal exactly where the bytes are."""
    return explanation


def explain_scan(explanation: Explanation, event: Event) -> Explanation:
    """Every record of a store."""
    return explanation


def explain_comparison(explanation: Explanation, event: Event) -> Explanation:
    """Master and slave compared, below an offset and from it on."""
    return explanation

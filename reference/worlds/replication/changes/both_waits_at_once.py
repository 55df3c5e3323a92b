"""A put requests disk and slave at the same time, and is answered when both have finished.

Differs from 4.4.0: ``CommitLog#asyncPutMessage`` submits both requests right after the append and
combines their results; the slave's status still overrides the disk's. Slaves are checked before the
flush, not after it. The model takes the slave step first, then the disk step: a flush may come at
any time, and its result from before the slave's answer is seen after that answer.
"""

from __future__ import annotations

from reference.language.operators import choose, maximum
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    PUT_OK,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE_CHECK,
    Cluster,
    Message,
)

VARIANT = Variant(
    name="both_waits_at_once",
    sentence="A put checks for a slave right after its append, not after its flush.",
    comes_from="RocketMQ 4.7.0, CommitLog#asyncPutMessage (V-10).",
    span=Span("4.7.0"),
)


@VARIANT.override
def compute_first_phase(cluster: Cluster) -> int:
    """The phase of a put when it is appended: the slave step comes first."""
    return WAITS_FOR_SLAVE_CHECK


@VARIANT.override
def compute_phase_after_slave(cluster: Cluster) -> int:
    """The phase of a put after its slave step: the disk step comes last."""
    return WAITS_FOR_DISK


@VARIANT.override
def compute_phase_after_disk(cluster: Cluster) -> int:
    """The phase of a put after its disk step: it is answered."""
    return ANSWERED


@VARIANT.override
def compute_disk_timeout_status(cluster: Cluster, put: Message) -> int:
    """The status of a put whose disk step has failed: the slave's overrides it."""
    return choose(put.status == PUT_OK, FLUSH_DISK_TIMEOUT, put.status)


@VARIANT.override
def count_phases_left(cluster: Cluster, put: Message) -> int:
    """The largest number of phases between a put and its answer."""
    before = choose(put.phase == WAITS_FOR_DISK, 1, maximum(0, ANSWERED - put.phase) + 1)
    return choose(put.phase < ANSWERED, before, 0)

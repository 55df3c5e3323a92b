"""A put asks for the disk and for a slave at once, and is answered when both have answered.

Differs from 4.4.0: ``CommitLog#asyncPutMessage`` submits both requests right after the append and
combines what they bring; the status of the slave still overrides that of the disk. Slaves are
looked at before the flush, not after it. The model takes the slave step first and the disk step
then: a flush may come at any time, and what it brought before the slave's answer is found after it.
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
    sentence="A put looks for a slave right after its append, not after its flush.",
    comes_from="RocketMQ 4.7.0, CommitLog#asyncPutMessage (V-10).",
    span=Span("4.7.0"),
)


@VARIANT.override
def compute_first_phase(cluster: Cluster) -> int:
    """Where a put stands when it is appended: slaves are looked at next."""
    return WAITS_FOR_SLAVE_CHECK


@VARIANT.override
def compute_phase_after_slave(cluster: Cluster) -> int:
    """Where a put stands after its slave step: the disk's answer is looked at last."""
    return WAITS_FOR_DISK


@VARIANT.override
def compute_phase_after_disk(cluster: Cluster) -> int:
    """Where a put stands after its disk step: it is answered."""
    return ANSWERED


@VARIANT.override
def compute_disk_timeout_status(cluster: Cluster, put: Message) -> int:
    """The status of a put whose disk step has failed: the slave's overrides it."""
    return choose(put.status == PUT_OK, FLUSH_DISK_TIMEOUT, put.status)


@VARIANT.override
def count_phases_left(cluster: Cluster, put: Message) -> int:
    """How many phases a put is away from its answer, at most."""
    before = choose(put.phase == WAITS_FOR_DISK, 1, maximum(0, ANSWERED - put.phase) + 1)
    return choose(put.phase < ANSWERED, before, 0)

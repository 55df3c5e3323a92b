"""What is fixed for one model instance: its structure, and the parameters that never change."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import frozen

from reference.roles import FlushDiskType, Role
from reference.terms import Sort

Offset: TypeAlias = Annotated[int, Sort.INTEGER]
"""A byte position in the commit log; -1 stands for "not known yet" where the text says so."""
Bytes: TypeAlias = Annotated[int, Sort.INTEGER]
"""A length in bytes."""
Count: TypeAlias = Annotated[int, Sort.INTEGER]
"""A number of things."""
Code: TypeAlias = Annotated[int, Sort.INTEGER]
"""One of a few named integer constants."""
Flag: TypeAlias = Annotated[bool, Sort.BOOLEAN]
"""A truth value."""


@frozen
class Structure:
    """The static shape of a master/slave group: each structure specialises every rule."""

    role: Role = Role.SYNC_MASTER
    """``brokerRole`` of the master: ASYNC_MASTER or SYNC_MASTER."""
    flush_disk_type: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    """``flushDiskType`` of the master. A slave's own never gates an acknowledgement (R-FL-10)."""
    slaves: int = 1
    """Number of slaves, 0 to 2."""
    messages: int = 1
    """Messages followed one by one; all others are anonymous bytes."""
    lives: int = 3
    """Lives of the master's log that are told apart: one more than the power losses it may have."""

    @property
    def is_sync_master(self) -> bool:
        """The master waits for a slave before it answers."""
        return self.role is Role.SYNC_MASTER

    @property
    def is_sync_flush(self) -> bool:
        """The master waits for its own disk before it answers."""
        return self.flush_disk_type is FlushDiskType.SYNC_FLUSH

    @property
    def name(self) -> str:
        """Short name, for example ``SYNC_MASTER/ASYNC_FLUSH/1 slave``."""
        plural = "slave" if self.slaves == 1 else "slaves"
        return f"{self.role.name}/{self.flush_disk_type.name}/{self.slaves} {plural}"


@frozen
class FaultCounts:
    """A number per kind of fault: how often it has struck, or how often it may.

    Only faults are bounded, never healing.
    """

    master_kills: Count = 0
    """Kills of the master's process; the page cache survives."""
    slave_kills: Count = 0
    """Kills of a slave's process, all slaves together."""
    master_power_losses: Count = 0
    """Power losses of the master's machine; at most ``Structure.lives`` - 1 are modelled."""
    slave_power_losses: Count = 0
    """Power losses of a slave's machine, all slaves together."""
    link_cuts: Count = 0
    """Replication connections that break while both ends live."""


@frozen
class Parameters:
    """Sizes and thresholds: constant in a run, symbolic in a proof."""

    ha_slave_fallbehind_max_bytes: Bytes = 256 * 1024 * 1024
    """``haSlaveFallbehindMax``: a put asks for a slave only below this distance (R-HA-19)."""
    ha_transfer_batch_size_bytes: Bytes = 32 * 1024
    """``haTransferBatchSize``: the most bytes that one frame carries (R-HA-13)."""
    mapped_file_size_bytes: Bytes = 1024 * 1024 * 1024
    """``mapedFileSizeCommitLog``: the log is one mapped file here, so this bounds it."""
    message_size_max_bytes: Bytes = 4 * 1024 * 1024
    """``maxMessageSize``: the most bytes that one append adds."""
    limits: FaultCounts = FaultCounts()
    """How often each fault may strike."""


SLAVES_MAX = 2
"""The largest group that the model covers."""

SMALL_PARAMETERS = Parameters(
    ha_slave_fallbehind_max_bytes=3,
    ha_transfer_batch_size_bytes=2,
    mapped_file_size_bytes=12,
    message_size_max_bytes=2,
)
"""A log of a few bytes: enough for every boundary, small enough for arithmetic on a few bits."""

"""What is fixed for one instance of the world of consumption: its shape, and its fault limits."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import frozen

from reference.structure import Count
from reference.terms import Sort
from reference.world import Pair

QueueOffset: TypeAlias = Annotated[int, Sort.INTEGER]
"""A position in a consume queue, counted in messages; -1 stands for "none"."""


@frozen
class ConsumptionStructure(Pair):
    """The settings that decide which broker a consumer may read."""

    is_slave_read: bool = False
    """Brokers and group are set up so that a consumer may be sent to the slave while it sees the
    master (R-PM-10); without it reads go to the slave only when no master is listed (R-CC-01)."""
    is_offset_checked_in_slave: bool = False
    """``offsetCheckInSlave`` on the slave (R-GM-03)."""

    @property
    def name(self) -> str:
        """Short name, for example ``consumer/slave read/no offset check``."""
        read = "slave read" if self.is_slave_read else "no slave read"
        check = "offset check" if self.is_offset_checked_in_slave else "no offset check"
        return f"consumer/{read}/{check}"


@frozen
class ConsumptionFaults:
    """A number per kind of fault: how often it has struck, or how often it may."""

    master_stops: Count = 0
    """No failure: the master is stopped in order, and consumers do without it for a while."""
    slave_stops: Count = 0
    """No failure: the slave is stopped in order."""
    consumer_kills: Count = 0
    """Kills of the consumer's process."""
    master_kills: Count = 0
    """Kills of the master's process: its table of progress is as old as its file."""
    master_power_losses: Count = 0
    """Power losses of the master's machine: it may lose messages, and its file of progress."""
    slave_kills: Count = 0
    """Kills of the slave's process."""
    partitions: Count = 0
    """The name server drops a master that runs, not having heard of it for 120 s (R-NS-05)."""
    stale_commits: Count = 0
    """One-way commits that arrive after newer ones (R-CO-01)."""


@frozen
class ConsumptionParameters:
    """Constant in a run, symbolic in a proof."""

    ghost_queue_size_max: QueueOffset = 2**40
    """Where the modelled queue ends; no queue has such a limit, only a search needs one."""
    limits: ConsumptionFaults = ConsumptionFaults()
    """How often each fault may strike."""


SMALL_CONSUMPTION = ConsumptionParameters(ghost_queue_size_max=4)
"""A queue of a few messages, for searches."""

CONSUMPTION_STRUCTURES = tuple(
    ConsumptionStructure(is_read, is_checked)
    for is_read in (False, True)
    for is_checked in (False, True)
)
"""Every structure of this world."""

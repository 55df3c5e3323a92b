"""What never changes in a run of this world: its sizes, and how often faults may strike."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import frozen

from reference.language.terms import Sort
from reference.worlds.replication.parameters import Count

QueueOffset: TypeAlias = Annotated[int, Sort.INTEGER]
"""A position in a consume queue, counted in messages; -1 stands for "none"."""


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

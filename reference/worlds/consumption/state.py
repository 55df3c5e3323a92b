"""The state of consumption: two brokers' queues and tables of progress, routes, one consumer.

Progress is what RocketMQ calls consumer offset: the queue offset of the next message to consume.
Fields named ``ghost_...`` exist in the specification only.

Before it stands what never changes in a run: the sizes, and how often faults may strike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from attrs import field, frozen

from reference.language.terms import Sort
from reference.worlds.replication.parameters import Count, Flag

if TYPE_CHECKING:
    from reference.worlds.consumption.structure import ConsumptionStructure


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


NO_PROGRESS = -1
"""A table has no entry for this group and queue; a consumer has no position."""


@frozen
class Broker:
    """What one broker has of the queue, and of the group's progress in it."""

    is_up: Flag = True
    """Its process runs."""
    queue_min: QueueOffset = 0
    """The first message that it still has."""
    queue_max: QueueOffset = 0
    """One past the last message that it has."""
    progress: QueueOffset = NO_PROGRESS
    """``ConsumerOffsetManager``'s table in memory."""
    progress_on_disk: QueueOffset = NO_PROGRESS
    """``config/consumerOffset.json``, which a started broker reads (R-CO-03)."""


@frozen
class Routes:
    """Who knows whom, by way of the name server."""

    is_master_listed: Flag = True
    """The name server has the master's address."""
    is_slave_listed: Flag = True
    """The name server has the slave's address."""
    is_master_known: Flag = True
    """The slave has the master's address (``SlaveSynchronize.masterAddr``, R-NS-03)."""
    is_master_seen: Flag = True
    """The consumer's route has the master."""
    is_slave_seen: Flag = True
    """The consumer's route has the slave."""


@frozen
class Consumer:
    """The only consumer of the group, in clustering mode."""

    is_running: Flag = False
    """Its process runs."""
    position: QueueOffset = NO_PROGRESS
    """The next message that it consumes, and its progress in memory."""
    ghost_has_begun: Flag = False
    """The group has once had a position: what lay before that is not owed to it."""
    ghost_consumed_below: QueueOffset = 0
    """Every message of the master below it was consumed by the group, or is owed no more."""
    ghost_read_below: QueueOffset = 0
    """One past the last message of the master that the group has consumed."""
    ghost_stored: QueueOffset = 0
    """The progress that a broker last took from the consumer; 0 before the first."""
    ghost_has_moved_back: Flag = False
    """It has once begun again before the progress that a broker had taken."""
    ghost_has_reread: Flag = False
    """It has once consumed a message for the second time."""
    ghost_has_read_lost: Flag = False
    """It has once consumed a message that the master lost afterwards."""


@frozen
class Consumption:
    """The whole state of this world."""

    structure: ConsumptionStructure = field(metadata={"static": True})
    """Its static shape."""
    parameters: ConsumptionParameters
    """Its fault limits."""
    master: Broker
    """The broker with id 0."""
    slave: Broker
    """Its only slave."""
    routes: Routes
    """Who knows whom."""
    consumer: Consumer
    """The consumer."""
    ghost_same_below: QueueOffset = 0
    """Below it the slave has the master's messages; beyond it perhaps others."""
    faults: ConsumptionFaults = field(factory=ConsumptionFaults)
    """The faults so far."""

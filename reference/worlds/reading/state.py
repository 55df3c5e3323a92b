"""The state of reading: a queue on two brokers, routes, a consumer, and one message.

Progress is RocketMQ's consumer offset: the queue offset of the next message to consume. One message
is followed from its put to its end; the rest of a queue is numbers. Fields named ``ghost_...``
exist in the specification only.

The constants of a run come first: sizes, and limits of faults.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import field, frozen

from reference.language.leaves import Count, Flag
from reference.language.operator_table import Sort
from reference.language.parameters import BaseFaults, BaseParameters
from reference.worlds.reading.shape import ReadingShape

QueueOffset: TypeAlias = Annotated[int, Sort.INTEGER]
"""A position in a consume queue, counted in messages; -1 means "none"."""

MASTER, SLAVE = 0, 1
"""The indexes of both brokers in the state, and their broker ids."""

NO_OFFSET = -1
"""A table has no entry for this group and queue, or a consumer has no position."""


@frozen
class ReadingFaults(BaseFaults):
    """A number per kind of fault: how often it has happened, or how often it may."""

    consumer_kills: Count = 0
    """Kills of the consumer's process."""
    slave_stops: Count = 0
    """Not a failure: the slave stops cleanly."""
    slave_kills: Count = 0
    """Kills of the slave's process."""
    early_deletions: Count = 0
    """Not a failure: the slave deletes messages that its master still has, by its own clock or for
    its own disk (R-BR-03)."""
    torn_copies: Count = 0
    """Not a failure by itself: the slave ended while its log ended inside a record, and takes that
    record for whole when it starts; the missing bytes are never copied."""
    slave_losses: Count = 0
    """The slave lacks messages: it lost power, an empty one took its place, or it joined late."""
    slave_stalls: Count = 0
    """The slave stops copying, permanently."""
    lagging_dispatches: Count = 0
    """Not a failure: the slave's queue shows messages before that of its running master
    (R-RP-06)."""
    missed_dispatches: Count = 0
    """The slave's queue misses messages that its log has: later ones have a lower index there, as
    before 4.4.0 after each stop with dispatch behind (#467)."""
    topic_recreations: Count = 0
    """Not a failure: the topic is deleted on the master alone, and recreated (#316)."""
    master_stops: Count = 0
    """Not a failure: the master stops cleanly, and consumers do without it for a while."""
    partitions: Count = 0
    """The name server drops a running master after not hearing of it for 120 s (R-NS-05)."""
    stale_commits: Count = 0
    """One-way commits that arrive after newer ones (R-CO-01)."""
    master_kills: Count = 0
    """Kills of the master's process: its table of progress is as old as its file."""
    master_power_losses: Count = 0
    """Power losses of the master's machine: it may lose messages, and its file of progress. Losses
    of its disk count here too."""


@frozen
class ReadingParameters(BaseParameters):
    """Constant in a run, symbolic in a proof."""

    ghost_queue_size_max: QueueOffset = 2**40
    """End of the modelled queue. RocketMQ has no such limit; only a search needs one."""
    limits: ReadingFaults = ReadingFaults()
    """How often each fault may happen."""


SMALL_READING = ReadingParameters(ghost_queue_size_max=3)
"""A queue of a few messages, for searches."""


@frozen
class QueueBroker:
    """A broker's part of the queue, and of the group's progress in it."""

    is_up: Flag = True
    """Its process runs."""
    queue_min: QueueOffset = 0
    """The beginning of its queue (``ConsumeQueue#getMinOffsetInQueue``)."""
    queue_max: QueueOffset = 0
    """One past the last entry of its queue."""
    first_kept: QueueOffset = 0
    """The first message that its log still has; entries before that point to nothing."""
    first_in_memory: QueueOffset = 0
    """The first message not further behind the log's end than memory reaches (R-GM-06)."""
    progress: QueueOffset = NO_OFFSET
    """``ConsumerOffsetManager``'s table in memory."""
    progress_on_disk: QueueOffset = NO_OFFSET
    """``config/consumerOffset.json``, which a started broker reads (R-CO-03)."""


@frozen
class Routes:
    """The addresses known through the name server."""

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
    """The group's consumer in clustering mode: one at a time has the queue."""

    is_running: Flag = False
    """Its process runs."""
    suggested_id: Count = 0
    """The queue's entry in ``pullFromWhichNodeTable``; 0 before the first answer."""
    next_offset: QueueOffset = NO_OFFSET
    """Start of its next pull (``PullRequest#nextOffset``); -1: it has no queue to pull."""
    cache_first: QueueOffset = NO_OFFSET
    """Its first unfinished message (``ProcessQueue``); -1: none."""
    cache_end: QueueOffset = 0
    """One past the last cached message (``queueOffsetMax``); 0 before the first."""
    progress: QueueOffset = NO_OFFSET
    """Its progress in memory; -1: no entry."""
    corrected: QueueOffset = NO_OFFSET
    """Where a broker has moved it: its progress in ten seconds; -1: not moved (R-CC-09)."""
    ghost_has_begun: Flag = False
    """The group has once had a position; messages before that are not owed to it."""
    ghost_stored: QueueOffset = NO_OFFSET
    """The progress that a broker last took from the group; -1 before the first."""
    ghost_has_moved_back: Flag = False
    """It has once restarted below a progress that a broker had taken."""


@frozen
class FollowedMessage:
    """The followed message, wherever it is."""

    offset: QueueOffset = NO_OFFSET
    """Its index, which is its place in the master's queue; -1 before it is put."""
    slave_offset: QueueOffset = NO_OFFSET
    """Its place in the slave's queue, equal to ``offset`` unless one of the queues was recreated or
    has missed a message; -1 while the slave has not had it."""
    cached_offset: QueueOffset = NO_OFFSET
    """Its place in the queue from which the consumer last got it; -1 before."""
    is_on_master: Flag = False
    """The master has it."""
    is_on_slave: Flag = False
    """The slave has it."""
    is_cached: Flag = False
    """The consumer has it and has not finished it."""
    is_consuming: Flag = False
    """The application has been handed it from this cache and has not returned."""
    ghost_is_owed: Flag = False
    """It was put after the group began, or lay ahead of it then."""
    ghost_is_owed_to_known: Flag = False
    """It was put after a broker had taken the group's first progress."""
    ghost_was_handed: Flag = False
    """The application has been handed it at least once."""
    ghost_is_done: Flag = False
    """The application has finished it at least once."""
    ghost_was_handed_twice: Flag = False
    """The application has been handed it a second time."""
    ghost_was_in_vain: Flag = False
    """The application was handed it, and the master has lost it, before or after."""


@frozen
class Reading:
    """The whole state of this world."""

    structure: ReadingShape = field(metadata={"static": True})
    """Its static shape."""
    parameters: ReadingParameters
    """Its fault limits."""
    brokers: tuple[QueueBroker, QueueBroker]
    """The master, with id 0, and its only slave, with id 1."""
    routes: Routes
    """The addresses known."""
    consumer: Consumer
    """The consumer."""
    message: FollowedMessage
    """The followed message."""
    put_below: QueueOffset = 0
    """The master's log has every message below this index; at least one queue has shown it."""
    lost_below: QueueOffset = 0
    """Messages below this index were put and lost by the master: the slave may have them."""
    copied_below: QueueOffset = 0
    """The place in the master's queue from which the slave continues to copy."""
    is_copying: Flag = True
    """Copying is not stuck."""
    faults: ReadingFaults = field(factory=ReadingFaults)
    """The faults so far."""

    @property
    def master(self) -> QueueBroker:
        """The broker with id 0."""
        return self.brokers[MASTER]

    @property
    def slave(self) -> QueueBroker:
        """The broker with id 1."""
        return self.brokers[SLAVE]

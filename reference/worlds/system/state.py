"""The state of the whole system: a group of brokers, and its readers.

Both parts are the states of separate worlds. What they share is kept once: sizes, limits, and the
count of faults.
"""

from __future__ import annotations

from typing import Any

import attrs
from attrs import evolve, field, frozen

from reference.language.leaves import Count, Flag, Offset
from reference.worlds.reading.state import (
    QueueBroker,
    QueueOffset,
    Reading,
    ReadingFaults,
    ReadingParameters,
)
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.state import Cluster, Message
from reference.worlds.system.shape import SystemShape

THE_SLAVE = 0
"""The only slave's index among the slaves of a group; readers know it as broker 1."""


@frozen
class SystemFaults(FaultCounts):
    """Faults of logs, and of readers, queues and routes."""

    master_stops: Count = 0
    """Not a failure: the master stops cleanly."""
    slave_stops: Count = 0
    """Not a failure: the slave stops cleanly."""
    early_deletions: Count = 0
    """Not a failure: by its own clock the slave deletes a file that its master still has
    (R-BR-03)."""
    lagging_dispatches: Count = 0
    """Not a failure: the slave shows messages before its master does (R-RP-06)."""
    missed_dispatches: Count = 0
    """The slave's queue misses messages that its log has (#467)."""
    topic_recreations: Count = 0
    """Not a failure: the topic is deleted on the master alone, and recreated (#316)."""
    consumer_kills: Count = 0
    """Kills of the consumer's process."""
    partitions: Count = 0
    """The name server drops a running master (R-NS-05)."""
    stale_commits: Count = 0
    """One-way commits that arrive after newer ones (R-CO-01)."""


@frozen
class SystemParameters(Parameters):
    """Sizes of the log and of the queue, and limits of faults."""

    ghost_queue_size_max: QueueOffset = 2**40
    """End of the modelled queue. RocketMQ has no such limit; only a search needs one."""
    limits: SystemFaults = SystemFaults()
    """How often each may happen."""


@frozen
class Elsewhere:
    """Placeholder in a part for what the whole system keeps."""


ELSEWHERE: Any = Elsewhere()


@frozen
class System:
    """The whole state of this world."""

    structure: SystemShape = field(metadata={"static": True})
    """Its static shape."""
    parameters: SystemParameters
    """Sizes and limits."""
    cluster: Cluster
    """Both brokers' logs, and replication between them."""
    reading: Reading
    """Both brokers' queues, and their readers; its fault counts are those that readers observe."""
    ghost_put_offset: Offset = 0
    """How far the furthest queue has reached in the master's log: messages below have an index."""
    ghost_is_environment: Flag = True
    """The readers' environment allows all steps of the log that they have observed."""
    faults: SystemFaults = field(factory=SystemFaults)
    """The faults so far."""

    @property
    def message(self) -> Message:
        """The followed message, with the progress of its put."""
        return self.cluster.messages[0]

    @property
    def queue_of_master(self) -> QueueBroker:
        """The master as readers observe it."""
        return self.reading.master

    @property
    def queue_of_slave(self) -> QueueBroker:
        """The slave as readers observe it."""
        return self.reading.slave


SEEN_AT_ONCE = 8
"""More steps than readers observe of any one step of the log."""


def get_cluster(state: System) -> Cluster:
    """The group of brokers alone."""
    return evolve(state.cluster, parameters=state.parameters, faults=state.faults)


def put_cluster(state: System, cluster: Cluster) -> System:
    """The system with this group of brokers."""
    kept = evolve(cluster, parameters=ELSEWHERE, faults=ELSEWHERE)
    faults: Any = cluster.faults
    return evolve(state, cluster=kept, faults=faults)


def get_reading(state: System) -> Reading:
    """The readers alone; the log decides how often which fault may happen."""
    counts: dict[str, int] = attrs.asdict(state.reading.faults, recurse=False)
    limits = ReadingFaults(**{name: count + SEEN_AT_ONCE for name, count in counts.items()})
    size = state.parameters.ghost_queue_size_max
    parameters = ReadingParameters(ghost_queue_size_max=size, limits=limits)
    return evolve(state.reading, parameters=parameters)


def put_reading(state: System, reading: Reading) -> System:
    """The system with these readers."""
    return evolve(state, reading=evolve(reading, parameters=ELSEWHERE))

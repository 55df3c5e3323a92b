"""The state of the whole: a group of brokers, and what readers have to do with it.

Both parts are the states of worlds that are told by themselves. What they share is kept once: sizes
and limits, and the account of what has struck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
from attrs import evolve, field, frozen

from reference.worlds.reading.state import Broker as QueueOfBroker
from reference.worlds.reading.state import QueueOffset, Reading, ReadingFaults, ReadingParameters
from reference.worlds.replication.parameters import Count, FaultCounts, Flag, Offset, Parameters
from reference.worlds.replication.state import Cluster, Message

if TYPE_CHECKING:
    from reference.worlds.system.structure import SystemStructure

THE_SLAVE = 0
"""The only slave's place among the slaves of a group; readers know it as broker 1."""


@frozen
class SystemFaults(FaultCounts):
    """What may strike logs, and beside that readers, queues and routes."""

    master_stops: Count = 0
    """No failure: the master is stopped in order."""
    slave_stops: Count = 0
    """No failure: the slave is stopped in order."""
    early_deletions: Count = 0
    """No failure: by its own clock the slave deletes a file that its master still has (R-BR-03)."""
    lagging_dispatches: Count = 0
    """No failure: the slave shows messages before its master does (R-RP-06)."""
    missed_dispatches: Count = 0
    """The slave's queue misses messages that its log has (#467)."""
    topic_recreations: Count = 0
    """No failure: the topic is deleted on the master alone, and made again (#316)."""
    consumer_kills: Count = 0
    """Kills of the consumer's process."""
    partitions: Count = 0
    """The name server drops a master that runs (R-NS-05)."""
    stale_commits: Count = 0
    """One-way commits that arrive after newer ones (R-CO-01)."""


@frozen
class SystemParameters(Parameters):
    """Sizes of the log and of the queue, and how often what may strike."""

    ghost_queue_size_max: QueueOffset = 2**40
    """Where the modelled queue ends; no queue has such a limit, only a search needs one."""
    limits: SystemFaults = SystemFaults()
    """How often each may strike."""


@frozen
class Elsewhere:
    """Stands in a part for what the whole keeps."""


ELSEWHERE: Any = Elsewhere()


@frozen
class System:
    """The whole state of this world."""

    structure: SystemStructure = field(metadata={"static": True})
    """Its static shape."""
    parameters: SystemParameters
    """Sizes and limits."""
    cluster: Cluster
    """Both brokers' logs, and what goes on between them."""
    reading: Reading
    """Both brokers' queues, and who reads them; its account counts what readers see of a fault."""
    ghost_put_offset: Offset = 0
    """How far one of the queues has come in the master's log: what lies below has an index."""
    ghost_is_environment: Flag = True
    """All that readers saw of the log were steps that their environment may take."""
    faults: SystemFaults = field(factory=SystemFaults)
    """What has struck so far."""

    @property
    def message(self) -> Message:
        """The followed message, as its put goes on."""
        return self.cluster.messages[0]

    @property
    def queue_of_master(self) -> QueueOfBroker:
        """What readers see of the master."""
        return self.reading.master

    @property
    def queue_of_slave(self) -> QueueOfBroker:
        """What readers see of the slave."""
        return self.reading.slave


SEEN_AT_ONCE = 8
"""More steps than readers see of any one step of the log."""


def get_cluster(state: System) -> Cluster:
    """The group of brokers by itself."""
    return evolve(state.cluster, parameters=state.parameters, faults=state.faults)


def put_cluster(state: System, cluster: Cluster) -> System:
    """The whole with this group of brokers."""
    kept = evolve(cluster, parameters=ELSEWHERE, faults=ELSEWHERE)
    faults: Any = cluster.faults
    return evolve(state, cluster=kept, faults=faults)


def get_reading(state: System) -> Reading:
    """The readers by themselves; how often what may strike, the log decides."""
    counts: dict[str, int] = attrs.asdict(state.reading.faults, recurse=False)
    limits = ReadingFaults(**{name: count + SEEN_AT_ONCE for name, count in counts.items()})
    size = state.parameters.ghost_queue_size_max
    parameters = ReadingParameters(ghost_queue_size_max=size, limits=limits)
    return evolve(state.reading, parameters=parameters)


def put_reading(state: System, reading: Reading) -> System:
    """The whole with these readers."""
    return evolve(state, reading=evolve(reading, parameters=ELSEWHERE))

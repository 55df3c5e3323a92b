"""From a broker group's configuration to where its consumers read, and what they may meet there.

A broker takes a consumer for slow when the last message that it looked at is further back in the
log than a share of the machine's memory; by its own file it sends such a consumer elsewhere.
Everything is asked of the read decision itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from attrs import evolve, frozen

from properties.scenarios.reading_claims import (
    READING_CLAIMS,
    Circumstance,
    Deployment,
    Run,
    decide,
    pull_from,
)
from properties.verdicts.verdict import Hints, Verdict, search_structure
from properties.verdicts.world_analysis import WorldAnalysis, decide_world
from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.pull_processor import MASTER_ID
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.settings import DEFAULT_TOTAL_MEMORY_BYTES, compute_memory_bytes
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup
from reference.worlds.reading.structure import READING_STRUCTURES, ReadingStructure
from reference.worlds.replication.roles import Role

FOUND = Circumstance(GetMessageStatus.FOUND)
SLOW = Circumstance(GetMessageStatus.FOUND, is_slow=True)
AHEAD = Circumstance(GetMessageStatus.OFFSET_OVERFLOW_BADLY)


@frozen
class BrokerReading:
    """One broker, as consumers find it that have its address."""

    name: str
    """``master`` or ``slave`` with its id."""
    is_open: bool
    """``slaveReadEnable``."""
    ratio: int
    """``accessMessageInMemoryMaxRatio``, in percent."""
    memory_bytes: int
    """A consumer is slow that is further behind the log's end than this."""
    near_broker: int
    """Where consumers are sent that are not slow."""
    slow_broker: int
    """Where slow ones are sent."""
    is_offset_moved: bool
    """A consumer that asks for what the broker does not have is moved; else it asks again."""


def compute_broker_readings(
    group: BrokerGroup, deployment: Deployment, total_memory_bytes: int = DEFAULT_TOTAL_MEMORY_BYTES
) -> tuple[BrokerReading, ...]:
    """The master and each slave; all machines have ``total_memory_bytes`` of memory."""
    brokers = (group.master, *group.slaves)
    return tuple(compute_reading(each, deployment, total_memory_bytes) for each in brokers)


def compute_reading(
    broker: BrokerConfiguration, deployment: Deployment, total_memory_bytes: int
) -> BrokerReading:
    """One broker; of the deployment only the route and the subscription group's ids count."""
    is_open, ratio = bool(broker.get("slaveReadEnable")), get_ratio(broker)
    own = evolve(
        deployment,
        is_master_open=is_open,
        is_slave_open=is_open,
        is_offset_checked_in_slave=bool(broker.get("offsetCheckInSlave")),
    )
    is_slave = broker.role is Role.SLAVE
    return BrokerReading(
        name=f"slave {broker.broker_id}" if is_slave else "master",
        is_open=is_open,
        ratio=ratio,
        memory_bytes=compute_memory_bytes(total_memory_bytes, ratio),
        near_broker=pull_from(own, broker.broker_id, FOUND).next_broker,
        slow_broker=pull_from(own, broker.broker_id, SLOW).next_broker,
        is_offset_moved=pull_from(own, broker.broker_id, AHEAD).code
        is ResponseCode.PULL_OFFSET_MOVED,
    )


def get_ratio(broker: BrokerConfiguration) -> int:
    """The ratio in force, which 4.4.0 uses on slaves as it is (R-GM-07)."""
    return broker.get_number("accessMessageInMemoryMaxRatio")


def explain_ratio(ratio: int) -> str | None:
    """What an unusual ratio means; None for one between 0 and 100."""
    if ratio <= 0:
        return "every consumer that finds a message counts as slow, even at the end of the queue"
    if ratio == 100:
        return "a consumer counts as slow beyond the whole memory, used up by other things or not"
    if ratio > 100:
        return "nobody counts as slow while the log is shorter than this multiple of the memory"
    return None


@frozen
class Consumers:
    """Subscription groups whose consumers are sent to the same brokers."""

    options: SubscriptionGroup
    """Defaults but for what decides that."""
    names: tuple[str, ...] = ()
    """None for options that no group was named for."""


@frozen
class ReadingQuestion:
    """What is asked about the consumers of every broker group."""

    consumers: tuple[Consumers, ...] = (Consumers(DEFAULT_GROUP),)
    total_memory_bytes: int | None = None
    """Of each broker's machine; None: what 4.4.0 assumes where it cannot ask."""

    @property
    def memory_bytes(self) -> int:
        """The memory that is reckoned with."""
        if self.total_memory_bytes is None:
            return DEFAULT_TOTAL_MEMORY_BYTES
        return self.total_memory_bytes


def gather_alike(groups: Mapping[str, SubscriptionGroup]) -> tuple[Consumers, ...]:
    """The groups of a file, those whose consumers are sent to the same brokers together."""
    names: dict[SubscriptionGroup, list[str]] = {}
    for name, options in groups.items():
        names.setdefault(keep_deciding(options), []).append(name)
    return tuple(Consumers(options, tuple(sorted(names[options]))) for options in names)


def keep_deciding(options: SubscriptionGroup) -> SubscriptionGroup:
    """The group with nothing but what decides where its consumers are sent, and whether at all."""
    return SubscriptionGroup(
        broker_id=options.broker_id,
        slow_broker_id=options.slow_broker_id,
        is_consume_enabled=options.is_consume_enabled,
    )


@frozen
class ReadingAnalysis:
    """The answer for one broker group and the subscription groups of one kind."""

    consumers: Consumers
    deployment: Deployment
    """What decides where pulls go."""
    brokers: tuple[BrokerReading, ...]
    """What each broker makes of consumers: the master, then the slaves."""
    claims: Mapping[str, Run | None]
    """Claims about reading that speak of this deployment, each with a run that breaks it."""
    from_last: WorldAnalysis | None
    """What a consumer may meet whose group begins at the end, as by default, in every column of the
    world of reading; None for ids of a group that no structure of it has."""
    from_first: WorldAnalysis | None
    """The same where the group begins at the first message."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every cell of a group that begins at the end."""
        return self.from_last.verdicts if self.from_last else ()


def analyse_readings(
    groups: Iterable[BrokerGroup], question: ReadingQuestion
) -> tuple[ReadingAnalysis, ...]:
    """The different answers for some broker groups; none for groups without slaves.

    Raises InternalDisagreementError for a certificate that does not hold.
    """
    found = (
        analyse_reading(g, c, question.memory_bytes) for g in groups for c in question.consumers
    )
    different: list[ReadingAnalysis] = []
    for analysis in found:
        if analysis is not None and analysis not in different:
            different.append(analysis)
    return tuple(different)


def analyse_reading(
    group: BrokerGroup, consumers: Consumers, memory_bytes: int
) -> ReadingAnalysis | None:
    """Where consumers of the group read; None for a group without slaves."""
    if not group.slaves:
        return None
    deployment = compute_deployment(group, consumers.options)
    claims = {n: decide(n, deployment) for n, c in READING_CLAIMS.items() if c.is_meant(deployment)}
    brokers = compute_broker_readings(group, deployment, memory_bytes)
    return ReadingAnalysis(
        consumers,
        deployment,
        brokers,
        claims,
        from_last=analyse_world(deployment, is_from_first=False),
        from_first=analyse_world(deployment, is_from_first=True),
    )


def analyse_world(deployment: Deployment, *, is_from_first: bool) -> WorldAnalysis | None:
    """Every cell of the structure that a deployment is; None where it is none."""
    structure = find_structure(deployment, is_from_first=is_from_first)
    if structure is None:
        return None
    return WorldAnalysis("while a consumer reads", structure, decide_reading(structure))


@cache
def decide_reading(structure: ReadingStructure) -> tuple[Verdict, ...]:
    """Every cell of a structure.

    Where ``slaveReadEnable`` differs between the brokers, there is no certificate: what is proved
    is proved now, and what refutes where it is as on the master is tried. The rest is undecided.
    """
    if structure in READING_STRUCTURES:
        return decide_world(structure)
    alike = evolve(
        structure,
        is_slave_open=structure.is_master_open,
        broker_id=structure.broker_id if structure.is_master_open else MASTER_ID,
    )
    return search_structure(structure, depth_limit=1, hints=Hints(decide_world(alike)))


def find_structure(
    deployment: Deployment, *, is_from_first: bool = False
) -> ReadingStructure | None:
    """The structure of the world of reading that a deployment is, with concurrent consumers.

    Every id but the master's counts as the slave's. None where those that keep up are sent to a
    slave and slow ones to the master: no structure has that.
    """
    near, slow = (int(i != MASTER_ID) for i in (deployment.broker_id, deployment.slow_broker_id))
    if near > slow:
        return None
    opened = (deployment.is_master_open, deployment.is_slave_open)
    is_master, is_slave = opened if slow else (False, False)
    return ReadingStructure(
        is_master,
        is_slave,
        near if is_master or is_slave else MASTER_ID,
        is_offset_checked_in_slave=deployment.is_offset_checked_in_slave,
        is_from_first=is_from_first,
    )


def compute_deployment(group: BrokerGroup, subscription: SubscriptionGroup) -> Deployment:
    """What of the brokers' files and of the subscription group decides where pulls go.

    Slaves count as open when all of them are, and as checking offsets when any one does.
    """
    return Deployment(
        is_master_open=bool(group.master.get("slaveReadEnable")),
        is_slave_open=all(bool(s.get("slaveReadEnable")) for s in group.slaves),
        broker_id=subscription.broker_id,
        slow_broker_id=subscription.slow_broker_id,
        is_offset_checked_in_slave=any(bool(s.get("offsetCheckInSlave")) for s in group.slaves),
        route=(MASTER_ID, *sorted(s.get_number("brokerId") for s in group.slaves)),
    )

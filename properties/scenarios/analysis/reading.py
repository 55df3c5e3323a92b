"""From a broker group's configuration to where its consumers read, and what can happen there.

A broker counts a consumer as slow when the last message that it read is further back in the log
than a share of the machine's memory; depending on its file it sends such a consumer elsewhere.
Everything is computed by the read decision itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache, cached_property
from typing import TypeAlias

from attrs import evolve, frozen

from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.scenarios.reading_claims import (
    READING_CLAIMS,
    Circumstance,
    ReadingDeployment,
    Run,
    pull_from,
)
from properties.scenarios.reading_claims import (
    decide as decide_claim,
)
from properties.verdicts.analysis import Analysis, decide_certified
from properties.verdicts.verdict import Hints, Verdict, search_structure
from properties.worlds.reading.world import (
    LATER_READERS,
    READERS,
    ClaimedReading,
)
from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.settings import DEFAULT_TOTAL_MEMORY_BYTES, compute_memory_bytes
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup
from reference.releases.known_differences import SLAVE_REJECTS_PULLS
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.roles import MASTER_ID, Role

FOUND = Circumstance(GetMessageStatus.FOUND)
SLOW = Circumstance(GetMessageStatus.FOUND, is_slow=True)
AHEAD = Circumstance(GetMessageStatus.OFFSET_OVERFLOW_BADLY)


@frozen
class BrokerReading:
    """One broker, as seen by consumers that have its address."""

    name: str
    """``master`` or ``slave`` with its id."""
    is_open: bool
    """``slaveReadEnable``."""
    ratio: int
    """``accessMessageInMemoryMaxRatio``, in percent."""
    memory_bytes: int
    """A consumer further behind the log's end than this is slow."""
    near_broker: int
    """The broker to which consumers that keep up are sent."""
    slow_broker: int
    """The broker to which slow consumers are sent."""
    is_offset_moved: bool
    """A consumer that pulls at an offset the broker does not have is moved; else it pulls again."""


def compute_broker_readings(
    group: BrokerGroup,
    deployment: ReadingDeployment,
    total_memory_bytes: int = DEFAULT_TOTAL_MEMORY_BYTES,
) -> tuple[BrokerReading, ...]:
    """The master and each slave; all machines have ``total_memory_bytes`` of memory."""
    brokers = (group.master, *group.slaves)
    return tuple(compute_reading(each, deployment, total_memory_bytes) for each in brokers)


def compute_reading(
    broker: BrokerConfiguration, deployment: ReadingDeployment, total_memory_bytes: int
) -> BrokerReading:
    """One broker; only the deployment's route and the subscription group's ids matter."""
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
    """The effect of an unusual ratio; None for one between 0 and 100."""
    if ratio <= 0:
        return "every consumer that finds a message counts as slow, even at the end of the queue"
    if ratio == 100:
        return "a consumer counts as slow only beyond the whole memory, even if other things use it"
    if ratio > 100:
        return "no consumer is slow while the log is shorter than this multiple of the memory"
    return None


@frozen
class Consumers:
    """Subscription groups whose consumers are sent to the same brokers."""

    options: SubscriptionGroup
    """Defaults, except the options that decide that."""
    names: tuple[str, ...] = ()
    """None for options without a named group."""


@frozen
class ReadingQuestion:
    """The question about the consumers of every broker group."""

    consumers: tuple[Consumers, ...] = (Consumers(DEFAULT_GROUP),)
    total_memory_bytes: int | None = None
    """The memory of each broker's machine; None: the value that 4.4.0 assumes by default."""
    is_from_first: bool = False
    """``CONSUME_FROM_FIRST_OFFSET``: a group without progress begins at the first message."""

    @property
    def memory_bytes(self) -> int:
        """The memory that is assumed."""
        if self.total_memory_bytes is None:
            return DEFAULT_TOTAL_MEMORY_BYTES
        return self.total_memory_bytes


def gather_alike(groups: Mapping[str, SubscriptionGroup]) -> tuple[Consumers, ...]:
    """The groups of a file, grouped by the brokers to which their consumers are sent."""
    names: dict[SubscriptionGroup, list[str]] = {}
    for name, options in groups.items():
        names.setdefault(keep_deciding(options), []).append(name)
    return tuple(Consumers(options, tuple(sorted(names[options]))) for options in names)


def keep_deciding(options: SubscriptionGroup) -> SubscriptionGroup:
    """The group with only the options that decide whether and where its consumers are sent."""
    return SubscriptionGroup(
        broker_id=options.broker_id,
        slow_broker_id=options.slow_broker_id,
        is_consume_enabled=options.is_consume_enabled,
    )


@cache
def decide_reading(structure: ClaimedReading) -> tuple[Verdict, ...]:
    """Every verdict for a structure.

    If ``slaveReadEnable`` differs between the brokers, there is no certificate: claims are proved
    now, and the schedules for the master's value are tried. The rest is undecided.
    """
    if structure in (*READERS, *LATER_READERS):
        return decide_certified(structure)
    is_open = structure.is_master_open
    alike = evolve(
        structure,
        is_slave_open=is_open,
        broker_id=structure.broker_id if is_open else MASTER_ID,
        is_closed_slave_silent=False,
    )
    return search_structure(structure, depth_limit=1, hints=Hints(decide_certified(alike)))


Decide: TypeAlias = Callable[[ClaimedReading], tuple[Verdict, ...]]
"""What decides the verdicts of consumers' structures."""


@frozen(slots=False, eq=False)
class ReadingAnalysis:
    """The answer for one broker group and the subscription groups of one kind."""

    group: BrokerGroup
    """It has a slave."""
    consumers: Consumers
    question: ReadingQuestion
    decide: Decide

    @cached_property
    def deployment(self) -> ReadingDeployment:
        """The settings that decide where pulls go."""
        return compute_deployment(self.group, self.consumers.options)

    @cached_property
    def brokers(self) -> tuple[BrokerReading, ...]:
        """How each broker treats consumers: the master, then the slaves."""
        return compute_broker_readings(self.group, self.deployment, self.question.memory_bytes)

    @cached_property
    def claims(self) -> Mapping[str, Run | None]:
        """Claims about this deployment's reads, each with a run that breaks it, if any."""
        told = (name for name, c in READING_CLAIMS.items() if c.is_meant(self.deployment))
        return {name: decide_claim(name, self.deployment) for name in told}

    @cached_property
    def from_last(self) -> Analysis | None:
        """The verdicts for a consumer whose group begins at the end, the default.

        None for group ids that no structure has.
        """
        return self._analyse(is_from_first=False)

    @cached_property
    def from_first(self) -> Analysis | None:
        """The verdicts if the group begins at the first message."""
        return self._analyse(is_from_first=True)

    @property
    def asked(self) -> Analysis | None:
        """The verdicts for groups that begin where the question says."""
        return self.from_first if self.question.is_from_first else self.from_last

    def find_structure(self, *, is_from_first: bool) -> ClaimedReading | None:
        """The structure of these consumers in the world of reading, if there is one."""
        return find_structure(self.deployment, is_from_first=is_from_first)

    def _analyse(self, *, is_from_first: bool) -> Analysis | None:
        structure = self.find_structure(is_from_first=is_from_first)
        if structure is None:
            return None
        verdicts = leave_open_unmet(self.group, structure, self.decide(structure))
        return Analysis(structure, verdicts, "while a consumer reads")

    @property
    def answer(self) -> tuple[Hashable, ...]:
        """All that is said of these consumers: equal for groups that treat them alike."""
        claims = tuple(self.claims.items())
        told = (self.consumers, self.deployment, self.brokers, claims)
        return (*told, self.from_last, self.from_first)


def analyse_readings(
    group: BrokerGroup, question: ReadingQuestion, decide: Decide = decide_reading
) -> tuple[ReadingAnalysis, ...]:
    """Every kind of consumers of a group; none for a group without slaves.

    What they hold raises InternalDisagreementError for a certificate that does not hold.
    """
    kinds = question.consumers if group.slaves else ()
    return tuple(ReadingAnalysis(group, consumers, question, decide) for consumers in kinds)


def list_reading_structures(
    group: BrokerGroup, question: ReadingQuestion, *, is_from_first: bool
) -> tuple[ClaimedReading, ...]:
    """The structures of the group's consumers, each once.

    None for a group without slaves, or if some consumers have no structure.
    """
    readings = analyse_readings(group, question)
    found = [each.find_structure(is_from_first=is_from_first) for each in readings]
    return () if None in found else tuple(dict.fromkeys(s for s in found if s is not None))


def find_structure(
    deployment: ReadingDeployment, *, is_from_first: bool = False
) -> ClaimedReading | None:
    """The structure of the world of reading for a deployment, with concurrent consumers.

    Every id but the master's counts as the slave's. None if consumers that keep up are sent to a
    slave and slow ones to the master: no structure has that.
    """
    near, slow = (int(i != MASTER_ID) for i in (deployment.broker_id, deployment.slow_broker_id))
    if near > slow:
        return None
    opened = (deployment.is_master_open, deployment.is_slave_open)
    is_master, is_slave = opened if slow else (False, False)
    is_silent = deployment.is_closed_slave_silent and not deployment.is_slave_open
    return ClaimedReading(
        is_master,
        is_slave,
        near if is_master or is_slave else MASTER_ID,
        is_offset_checked_in_slave=deployment.is_offset_checked_in_slave and not is_silent,
        is_from_first=is_from_first,
        is_reset_to_end=deployment.is_reset_to_end,
        is_closed_slave_silent=is_silent,
    )


def compute_deployment(group: BrokerGroup, subscription: SubscriptionGroup) -> ReadingDeployment:
    """The parts of the brokers' files and of the subscription group that decide where pulls go.

    Slaves count as open when all of them are, and as checking offsets when any does.
    """
    return ReadingDeployment(
        is_master_open=bool(group.master.get("slaveReadEnable")),
        is_slave_open=all(bool(s.get("slaveReadEnable")) for s in group.slaves),
        broker_id=subscription.broker_id,
        slow_broker_id=subscription.slow_broker_id,
        is_offset_checked_in_slave=any(bool(s.get("offsetCheckInSlave")) for s in group.slaves),
        route=(MASTER_ID, *sorted(s.get_number("brokerId") for s in group.slaves)),
        is_reset_to_end=group.version.has(OVERFLOW_RESETS_TO_MAX),
        is_closed_slave_silent=group.version.has(SLAVE_REJECTS_PULLS),
    )

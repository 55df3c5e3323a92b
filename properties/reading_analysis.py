"""From a broker group's configuration to where its consumers read, and what they may meet there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from attrs import frozen

from properties import certificates
from properties.reading import READING_CLAIMS, Deployment, Run, decide, names_slave
from properties.verdict import Verdict
from reference.configuration import BrokerGroup
from reference.consumption.structure import ConsumptionParameters, ConsumptionStructure
from reference.read.pull_processor import MASTER_ID
from reference.read.subscription_group import SubscriptionGroup


@frozen
class ReadingAnalysis:
    """The answer for one broker group and one subscription group."""

    deployment: Deployment
    """What decides where pulls go."""
    claims: Mapping[str, Run | None]
    """Claims about reading that speak of this deployment, each with a run that breaks it."""
    structure: ConsumptionStructure
    verdicts: tuple[Verdict, ...]
    """What a consumer may meet, in every column of the world of consumption."""

    def get(self, guarantee: str, fault: str) -> Verdict:
        """One cell."""
        return next(v for v in self.verdicts if (v.guarantee, v.fault) == (guarantee, fault))


def analyse_reading(group: BrokerGroup, subscription: SubscriptionGroup) -> ReadingAnalysis | None:
    """Where a consumer of the group reads; None for a group without slaves.

    Raises InternalDisagreementError for a certificate that does not hold.
    """
    if not group.slaves:
        return None
    deployment = compute_deployment(group, subscription)
    structure = ConsumptionStructure(
        is_slave_read=names_slave(deployment),
        is_offset_checked_in_slave=deployment.is_offset_checked_in_slave,
    )
    claims = {n: decide(n, deployment) for n, c in READING_CLAIMS.items() if c.is_meant(deployment)}
    return ReadingAnalysis(deployment, claims, structure, decide_consumption(structure))


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


@cache
def decide_consumption(structure: ConsumptionStructure) -> tuple[Verdict, ...]:
    """Every cell of consumption, from its certificate.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """
    document = certificates.load_required(structure)
    return certificates.recheck(structure, ConsumptionParameters(), document)

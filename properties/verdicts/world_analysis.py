"""The verdicts of a world's structure, decided again from its certificate."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.verdicts import certificates
from properties.verdicts.expectations import find_expectation
from properties.verdicts.remembering import remember
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.delay.world import DELAY_STRUCTURES
from properties.worlds.tables.world import TABLES_STRUCTURES, ClaimedTables
from reference.configuration.broker_group import BrokerGroup
from reference.language.parameters import BaseParameters
from reference.releases.versions import USUAL_VERSION, Version


@frozen
class WorldAnalysis:
    """The answer of one structure, under a title."""

    title: str
    structure: ClaimedStructure
    verdicts: tuple[Verdict, ...]
    """Every cell."""

    def get(self, guarantee: str, fault: str) -> Verdict:
        """One verdict."""
        return next(v for v in self.verdicts if (v.guarantee, v.fault) == (guarantee, fault))

    def list_reasons(self) -> list[Verdict]:
        """For each refuted guarantee and reason the first verdict that the reason decides."""
        found: dict[tuple[str, str], Verdict] = {}
        for v in self.verdicts:
            if v.word is VerdictWord.REFUTED:
                found.setdefault((v.guarantee, self.get_reason(v)), v)
        return list(found.values())

    def get_reason(self, verdict: Verdict) -> str:
        """The reason for a verdict: its own if it has one, else that of the expected verdict."""
        return (
            verdict.note
            or find_expectation(verdict.guarantee, self.structure, verdict.fault).reason
        )


@cache
def decide_world(structure: ClaimedStructure) -> tuple[Verdict, ...]:
    """Every verdict of a structure, from its certificate, without search sizes, as in RocketMQ.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """

    def decide() -> tuple[Verdict, ...]:
        document = certificates.load_required(structure)
        return certificates.recheck(structure, remove_sizes(structure), document)

    return remember("world", (structure.name,), decide)


def remove_sizes(structure: ClaimedStructure) -> BaseParameters:
    """The parameters of a structure's world, without those that only searches need."""
    small = structure.world.sizes.search
    return type(small)().limit(small.limits)


def analyse_pairs(
    groups: Iterable[BrokerGroup], version: Version = USUAL_VERSION
) -> tuple[WorldAnalysis, ...]:
    """The answers for every group with a slave, in any configuration; none without slaves.

    Later releases also copy tables as 4.5.0 does, except for the 5.x changes that
    ``spec/versions.md`` leaves out.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """
    replicated = [group for group in groups if group.slaves]
    if not replicated:
        return ()
    topics, subscription_groups, *_ = get_tables(version)
    titled = {
        "topics": topics,
        "subscription groups": subscription_groups,
        "delayed messages": DELAY_STRUCTURES[0],
    }
    return tuple(
        dict.fromkeys(
            WorldAnalysis(title, structure, leave_open_unmet(group, structure, decided))
            for title, structure in titled.items()
            for decided in [decide_world(structure)]
            for group in replicated
        )
    )


def get_tables(version: Version) -> tuple[ClaimedTables, ...]:
    """How a release copies topics and subscription groups: as 4.4.0 does, or as since 4.5.0.

    V-01, V-02.
    """
    is_later = version.release != USUAL_VERSION.release
    return TABLES_STRUCTURES[2:] if is_later else TABLES_STRUCTURES


def list_differing(one: WorldAnalysis, other: WorldAnalysis) -> list[Verdict] | None:
    """The other's verdicts that differ from the one's; None if their subjects differ."""
    words = {(v.guarantee, v.fault): v.word for v in one.verdicts}
    if words.keys() != {(v.guarantee, v.fault) for v in other.verdicts}:
        return None
    return [v for v in other.verdicts if words[v.guarantee, v.fault] is not v.word]

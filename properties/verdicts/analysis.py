"""The verdicts of one structure, as a part of an answer about a broker group."""

from __future__ import annotations

from functools import cache

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.verdicts import certificates
from properties.verdicts.expectations import find_expectation
from properties.verdicts.remembering import remember
from properties.verdicts.verdict import Verdict, VerdictWord
from reference.language.parameters import BaseParameters


@frozen
class Analysis:
    """What is known of one structure."""

    structure: ClaimedStructure
    verdicts: tuple[Verdict, ...]
    """Every guarantee under every fault model, guarantee by guarantee."""
    title: str = ""
    """What it is about, on a screen with several."""
    outside_the_model: tuple[str, ...] = ()
    """One sentence per reason why there is no answer."""

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
def decide_certified(structure: ClaimedStructure) -> tuple[Verdict, ...]:
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


def list_differing(one: Analysis, other: Analysis) -> list[Verdict] | None:
    """The other's verdicts that differ from the one's; None if their subjects differ."""
    words = {(v.guarantee, v.fault): v.word for v in one.verdicts}
    if words.keys() != {(v.guarantee, v.fault) for v in other.verdicts}:
        return None
    return [v for v in other.verdicts if words[v.guarantee, v.fault] is not v.word]

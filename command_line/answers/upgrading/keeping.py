"""Settings under which a group keeps what another release takes from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from command_line.answers.story.code_story import analyse_by_certificate
from properties.comparison.upgrades import VerdictChange
from properties.scenarios.analysis.reading import ReadingQuestion
from properties.scenarios.summary.summary import list_alternatives
from reference.configuration.broker_group import BrokerGroup


@frozen
class KeepingSetting:
    """Another value of a key, and what stays proved with it."""

    text: str
    """What to do, in the words of ``check``."""
    key: str
    kept: tuple[tuple[str, str], ...]
    """Claim and fault model of each verdict that is worse without it."""


def find_keeping(group: BrokerGroup, worse: Sequence[VerdictChange]) -> Iterator[KeepingSetting]:
    """The settings of a group under which verdicts are proved that are worse without them.

    A claim whose premise can never hold is not kept by that.
    """
    if not worse:
        return
    asked = {(c.after.guarantee, c.after.fault) for c in worse}
    for other in list_alternatives(group, ReadingQuestion(), analyse_by_certificate):
        verdicts = (v for source in other.sources for v in source.verdicts)
        relied = {(v.guarantee, v.fault) for v in verdicts if v.is_relied_on}
        if kept := tuple(sorted(asked & relied)):
            yield KeepingSetting(other.switch.text, other.switch.key, kept)

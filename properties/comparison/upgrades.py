"""What an upgrade changes for an operator: rules, timing, verdicts, and what can be seen."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from attrs import frozen

from properties.comparison.difference_search import ObservableDifference, load_differences
from properties.comparison.variants import Change
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.convergence import PUT_STEPS
from reference.language.variant import Variant
from reference.releases.timing_differences import TimingDifference
from reference.releases.versions import USUAL, Version


class Turn(enum.Enum):
    """Which way a cell turns."""

    BETTER = "better"
    """Proved now, and not before."""
    WORSE = "worse"
    """Proved before, and not now."""
    OPEN = "open"
    """Refuted on one side, and neither proved nor refuted on the other."""
    LATER = "later"
    """Refuted in both, and of the schedules known before none refutes any more: it takes more."""
    SOONER = "sooner"
    """Refuted in both, now by a shorter schedule than any known before."""


@frozen
class Difference:
    """What one version has and the other has not."""

    gained: tuple[Variant | TimingDifference, ...]
    """What the later one does differently."""
    lost: tuple[Variant | TimingDifference, ...]
    """What only the earlier one does."""


def compute_difference(before: Version, after: Version) -> Difference:
    """The changes of rules, then those of timing, that an upgrade brings or takes away."""
    old: tuple[Variant | TimingDifference, ...] = (
        *before.changes[::-1],
        *before.timing_differences,
    )
    new: tuple[Variant | TimingDifference, ...] = (*after.changes[::-1], *after.timing_differences)
    return Difference(
        gained=tuple(c for c in new if c not in old), lost=tuple(c for c in old if c not in new)
    )


def compute_changes(before: Iterable[Verdict], after: Iterable[Verdict]) -> list[Change]:
    """The cells of which the upgrade changes the verdict, or how much it takes to refute them.

    How many steps a put takes to its answer differs by release and refutes nothing by itself.
    """
    old = {(v.guarantee, v.fault): v for v in before}
    pairs = (Change(old[v.guarantee, v.fault], v) for v in after)
    return [
        c
        for c in pairs
        if c.before.word is not c.after.word or count_effort(c.before) != count_effort(c.after)
    ]


def count_effort(verdict: Verdict) -> int:
    """The steps of a cell's schedule, those of a put's way to its answer left out."""
    return sum(action.rule_name not in PUT_STEPS for action in verdict.schedule)


def get_turn(change: Change) -> Turn:
    """Which way a cell turns."""
    before, after = change.before, change.after
    if before.word is not after.word:
        if after.word is VerdictWord.PROVED:
            return Turn.BETTER
        return Turn.WORSE if before.word is VerdictWord.PROVED else Turn.OPEN
    return Turn.LATER if count_effort(before) < count_effort(after) else Turn.SOONER


def list_turned(changes: Iterable[Change], turn: Turn) -> list[Change]:
    """The cells that turn this way."""
    return [c for c in changes if get_turn(c) is turn]


def group_alike(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes of one guarantee that read alike, together: they differ in their column only."""
    alike: dict[tuple[str, str, str], list[Change]] = {}
    for c in changes:
        key = (c.after.guarantee, describe(c.before), describe(c.after))
        alike.setdefault(key, []).append(c)
    return list(alike.values())


def compute_difference_changes(
    before: Version, after: Version
) -> list[tuple[ObservableDifference, ObservableDifference]]:
    """What could be seen and is impossible now, and the other way round."""
    old, new = (load_differences(v.rule_set or USUAL) for v in (before, after))
    return [
        (one, other)
        for one, other in zip(old, new, strict=True)
        if one.is_impossible != other.is_impossible
    ]

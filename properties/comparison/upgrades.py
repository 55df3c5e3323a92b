"""The changes of a variant or an upgrade: rules, timing, verdicts, observable differences."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TypeAlias

from attrs import evolve, frozen

from properties.comparison.difference_search import ObservableDifference, load_differences
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.convergence import PUT_STEPS
from properties.worlds.replication.world import ClaimedGroup
from reference.language.variant import Variant
from reference.releases.known_differences import KnownDifference
from reference.releases.releases import get_modes
from reference.releases.timing_differences import TimingDifference
from reference.releases.versions import RULE_SETS, USUAL, Version
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.changes.controller_mode.repairs import REPAIRS

ReleaseChange: TypeAlias = Variant | TimingDifference | KnownDifference
"""A change that comes with a release."""

COMPARED_VARIANTS = tuple(
    name
    for name, variant in VARIANTS.items()
    if (variant.span is None and not (variant.on or variant.is_setting))
    or name == "report_capped_from_second"
)
"""The variants of 4.4.0 compared by themselves: the repairs, and the one that was released.
Other changes of releases are compared release by release."""

CONTROLLER_REPAIRS = tuple(repair.VARIANT.name for repair in REPAIRS)
"""The repairs of controller mode."""

_RANK = {
    VerdictWord.PROVED: 2,
    VerdictWord.BOUNDED: 1,
    VerdictWord.UNDECIDED: 1,
    VerdictWord.NOT_REFUTED: 1,
    VerdictWord.REFUTED: 0,
}


@frozen
class VerdictChange:
    """One verdict in which a variant differs."""

    before: Verdict
    """The verdict for RocketMQ 4.4.0."""
    after: Verdict
    """The verdict for the variant."""

    @property
    def are_lengths_known(self) -> bool:
        """No schedule is shorter than these two, so their lengths can be compared."""
        return self.before.is_shortest and self.after.is_shortest

    @property
    def is_alike(self) -> bool:
        """The engines agree; a dispute by real brokers is no change of rules."""
        one, other = self.before, self.after
        if one.word is other.word is VerdictWord.REFUTED and not self.are_lengths_known:
            return True
        return (one.word, one.steps, one.depth) == (other.word, other.steps, other.depth)

    @property
    def is_better(self) -> bool:
        """The variant guarantees more here, or needs more steps to break."""
        if _RANK[self.before.word] != _RANK[self.after.word]:
            return is_ranked_higher(self.after, self.before)
        return self.before.is_shorter_than(self.after)


def is_ranked_higher(one: Verdict, other: Verdict) -> bool:
    """The first verdict is better: proved is better than open, and open than refuted."""
    return _RANK[one.word] > _RANK[other.word]


def get_base(structure: ClaimedGroup) -> ClaimedGroup:
    """The base of a comparison: its release for a repair, 4.4.0 for a release."""
    releases = tuple(name for name in structure.variants if name in RULE_SETS)
    return evolve(structure, variants=releases if releases != structure.variants else ())


def compare(structure: ClaimedGroup, cells: Iterable[Verdict]) -> list[VerdictChange]:
    """The verdicts of a variant that differ from those without it, in the table's order."""
    base = load_cells(get_base(structure))
    pairs = (VerdictChange(base[v.guarantee, v.fault], v) for v in cells)
    return [c for c in pairs if not c.is_alike]


def render_change(change: VerdictChange) -> str:
    """One line, for example ``better: ..., late join: refuted, 11 steps -> proved``."""
    word = "better" if change.is_better else "worse"
    cell = f"{change.after.guarantee}, {change.after.fault}"
    return f"{word}: {cell}: {describe(change.before)} -> {describe(change.after)}"


class Turn(enum.Enum):
    """The direction in which a verdict changes."""

    BETTER = "better"
    """Proved now, and not before."""
    WORSE = "worse"
    """Proved before, and not now."""
    OPEN = "open"
    """Refuted on one side, and neither proved nor refuted on the other."""
    LATER = "later"
    """Refuted in both, but no schedule known before still refutes: more steps are needed."""
    SOONER = "sooner"
    """Refuted in both, now by a shorter schedule than any known before."""


@frozen
class VersionDifference:
    """A difference between two versions."""

    gained: tuple[ReleaseChange, ...]
    """The changes that only the later one has."""
    lost: tuple[ReleaseChange, ...]
    """The changes that only the earlier one has."""


def list_all_changes(version: Version) -> tuple[ReleaseChange, ...]:
    """The changes of a version: of rules, of timing, and those that no rule has."""
    return (*version.changes[::-1], *version.timing_differences, *version.known_differences)


def compute_difference(before: Version, after: Version) -> VersionDifference:
    """The changes of rules, of timing, and known ones, that an upgrade brings or takes away."""
    old, new = list_all_changes(before), list_all_changes(after)
    return VersionDifference(
        gained=tuple(c for c in new if c not in old), lost=tuple(c for c in old if c not in new)
    )


def list_in_other_modes(before: Version, after: Version) -> list[tuple[str, KnownDifference]]:
    """Known differences that the upgrade brings in another mode only, each with that mode."""
    if before.mode != after.mode:
        return []
    own = compute_difference(before, after).gained
    return [
        (mode, change)
        for mode in get_modes(before.release)
        for change in compute_difference(
            Version(before.release, mode), Version(after.release, mode)
        ).gained
        if isinstance(change, KnownDifference) and change not in own
    ]


def compute_changes(before: Iterable[Verdict], after: Iterable[Verdict]) -> list[VerdictChange]:
    """The verdicts that the upgrade changes, or whose refutation gets longer or shorter.

    The number of steps from a put to its answer differs by release and is not counted. Schedules
    that may not be the shortest are not compared, nor is what Z3 gave up on.
    """
    old = {(v.guarantee, v.fault): v for v in before}
    pairs = (VerdictChange(old[v.guarantee, v.fault], v) for v in after)
    return [
        c
        for c in pairs
        if not (c.before.gave_up or c.after.gave_up)
        if c.before.word is not c.after.word
        or (c.are_lengths_known and count_effort(c.before) != count_effort(c.after))
    ]


def count_effort(verdict: Verdict) -> int:
    """The steps of a verdict's schedule, without those from a put to its answer."""
    return sum(action.rule_name not in PUT_STEPS for action in verdict.schedule)


def get_turn(change: VerdictChange) -> Turn:
    """The direction in which a verdict changes."""
    before, after = change.before, change.after
    if before.word is not after.word:
        if after.word is VerdictWord.PROVED:
            return Turn.BETTER
        return Turn.WORSE if before.word is VerdictWord.PROVED else Turn.OPEN
    return Turn.LATER if count_effort(before) < count_effort(after) else Turn.SOONER


def list_turned(changes: Iterable[VerdictChange], turn: Turn) -> list[VerdictChange]:
    """The verdicts that change in this direction."""
    return [c for c in changes if get_turn(c) is turn]


def group_alike(changes: Iterable[VerdictChange]) -> list[list[VerdictChange]]:
    """The changes of one guarantee that differ only in their fault model, grouped."""
    alike: dict[tuple[str, str, str], list[VerdictChange]] = {}
    for c in changes:
        key = (c.after.guarantee, describe(c.before), describe(c.after))
        alike.setdefault(key, []).append(c)
    return list(alike.values())


def compute_difference_changes(
    before: Version, after: Version
) -> list[tuple[ObservableDifference, ObservableDifference]]:
    """The observable differences that became impossible, and those that became possible."""
    old, new = (load_differences(v.rule_set or USUAL) for v in (before, after))
    return [
        (one, other)
        for one, other in zip(old, new, strict=True)
        if one.is_impossible != other.is_impossible
    ]

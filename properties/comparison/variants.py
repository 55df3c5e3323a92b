"""What a variant changes for an operator: the cells in which it differs from RocketMQ 4.4.0."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from properties.schedules.stock import STOCK_PAIR
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from reference.releases.versions import RULE_SETS
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.structure import Structure

COMPARED_STRUCTURES = (STOCK_PAIR,)
"""The groups for which every variant has a certificate: RocketMQ's stock synchronous pair."""

COMPARED_VARIANTS = tuple(
    name
    for name, variant in VARIANTS.items()
    if variant.span is None or name == "report_capped_from_second"
)
"""The variants that are compared by themselves: the repairs, and the one that was released. What
else releases change is compared release by release."""

_RANK = {
    VerdictWord.PROVED: 2,
    VerdictWord.BOUNDED: 1,
    VerdictWord.UNDECIDED: 1,
    VerdictWord.NOT_REFUTED: 1,
    VerdictWord.REFUTED: 0,
}


@frozen
class Change:
    """One cell in which a variant differs."""

    before: Verdict
    """The cell of RocketMQ 4.4.0."""
    after: Verdict
    """The cell of the variant."""

    @property
    def is_alike(self) -> bool:
        """The engines say the same; what real brokers dispute is no change of rules."""
        one, other = self.before, self.after
        return (one.word, one.steps, one.depth) == (other.word, other.steps, other.depth)

    @property
    def is_better(self) -> bool:
        """The variant promises more here, or takes more steps to fail."""
        if _RANK[self.before.word] != _RANK[self.after.word]:
            return is_ranked_higher(self.after, self.before)
        return self.before.is_shorter_than(self.after)


def is_ranked_higher(one: Verdict, other: Verdict) -> bool:
    """The first cell promises more: proved is more than open, and open is more than refuted."""
    return _RANK[one.word] > _RANK[other.word]


def get_base(structure: Structure) -> Structure:
    """What a variant is compared with: a repair with its release, a release with 4.4.0."""
    releases = tuple(name for name in structure.variants if name in RULE_SETS)
    return evolve(structure, variants=releases if releases != structure.variants else ())


def compare(structure: Structure, cells: Iterable[Verdict]) -> list[Change]:
    """The cells of a variant that differ from those without it, in the order of the matrix."""
    base = load_cells(get_base(structure))
    pairs = (Change(base[v.guarantee, v.fault], v) for v in cells)
    return [c for c in pairs if not c.is_alike]


def render_change(change: Change) -> str:
    """One line, for example ``better: ..., late join: refuted, 11 steps -> proved``."""
    word = "better" if change.is_better else "worse"
    cell = f"{change.after.guarantee}, {change.after.fault}"
    return f"{word}: {cell}: {describe(change.before)} -> {describe(change.after)}"

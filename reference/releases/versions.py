"""Versions: a release of RocketMQ in one of its modes, and all that it changes.

A change is a variant if rules differ, or a timing difference if only a clock or a size does; each
lists the releases that have it. Releases with the same variants have the same rules, and therefore
the same verdicts: they are named after the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from attrs import evolve, frozen

from reference import ROCKETMQ_VERSION
from reference.language.rule import Rule
from reference.language.variant import Variant
from reference.releases.known_differences import (
    KNOWN_DIFFERENCES,
    PUBLISHED,
    Evidence,
    KnownDifference,
)
from reference.releases.releases import (
    CLASSIC,
    CONTROLLER,
    RELEASES,
    WITHOUT_VERDICTS,
    get_modes,
)
from reference.releases.timing_differences import TIMING_DIFFERENCES, TimingDifference
from reference.roles import Role
from reference.worlds.replication.changes import PEERS, VARIANTS
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.shape import GroupShape

Group = TypeVar("Group", bound=GroupShape)
"""A master/slave group, with or without claims about it."""

USUAL = ROCKETMQ_VERSION
"""The release that the rules describe, before any change."""

RECORDED_VERSIONS = frozenset({"4.4.0", "4.9.8", "5.3.3", "5.3.3-quorum", "5.3.3-controller"})
"""The releases, in their modes, whose recordings conform to the model."""


class VersionError(ValueError):
    """Raised for a text that names no version; one line, with those that exist."""


@frozen
class Version:
    """A release in one of its modes."""

    release: str = USUAL
    """One of RELEASES."""
    mode: str = CLASSIC
    """One of the modes of this release."""

    @property
    def name(self) -> str:
        """For example ``4.9.8``, or ``5.3.0-quorum``."""
        return f"{self.release}-{self.mode}" if self.mode else self.release

    @property
    def is_recorded(self) -> bool:
        """Recordings of real brokers of this release in this mode confirm the model."""
        return self.name in RECORDED_VERSIONS

    @property
    def changes(self) -> tuple[Variant, ...]:
        """What it changes in the rules of 4.4.0, the latest change first."""
        return _find_changes(self)

    @property
    def timing_differences(self) -> tuple[TimingDifference, ...]:
        """What it does at another time, or with another size."""
        return tuple(h for h in TIMING_DIFFERENCES.values() if self.has(h))

    @property
    def known_differences(self) -> tuple[KnownDifference, ...]:
        """What it does that no rule and no timing difference has."""
        return tuple(d for d in KNOWN_DIFFERENCES.values() if self.has(d))

    @property
    def known_from(self) -> str:
        """``recordings``, or which texts it is known from."""
        if self.is_recorded:
            return "recordings"
        published = (r.describe() for r in PUBLISHED if r.name == self.release)
        return next(published, Evidence.TAG.value)

    @property
    def rule_set(self) -> str:
        """The first version with the same rules; empty for those of 4.4.0."""
        return _find_rule_set(self.changes)

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants of a structure of this version."""
        return (self.rule_set,) if self.rule_set else ()

    def apply(self, structure: Group) -> Group:
        """The structure under the rules of this version."""
        return apply_rule_set(structure, self.rule_set)

    def has(self, change: TimingDifference | Variant | KnownDifference) -> bool:
        """It has this change of rules or of timing, or this known difference."""
        return change.span is not None and change.span.covers(self.release, self.mode)

    def describe(self) -> str:
        """The head of every output."""
        alike = f", whose rules of replication are those of {self.rule_set or USUAL}"
        is_first = self.name == (self.rule_set or USUAL)
        source = f"; from {self.known_from}, not compared with recordings"
        source = (
            "" if self.is_recorded else source.replace("from source at the tag", "from its source")
        )
        return f"RocketMQ {self.name}{'' if is_first else alike}{source}"


@cache
def _find_changes(version: Version) -> tuple[Variant, ...]:
    """Asked for thousands of times when structures are named."""
    spans = ((variant, variant.span) for variant in VARIANTS.values())
    found = [v for v, span in spans if span and span.covers(version.release, version.mode)]
    return tuple(sorted(found, key=_get_age, reverse=True))


def _get_age(variant: Variant) -> int:
    return RELEASES.index(variant.span.since) if variant.span else 0


def list_versions() -> tuple[Version, ...]:
    """Every release in each of its modes, oldest first."""
    return tuple(Version(r, mode) for r in RELEASES for mode in get_modes(r))


def parse_version(text: str) -> Version:
    """The version of this name. Raises VersionError."""
    release, _, mode = text.strip().partition("-")
    if release in WITHOUT_VERDICTS:
        raise VersionError(f"{release} is outside the model: {WITHOUT_VERDICTS[release]}")
    if release not in RELEASES:
        raise VersionError(f"{text!r} is not a release the model knows; {_list_known(release)}")
    if mode not in get_modes(release) or text.strip().endswith("-"):
        known = ", ".join(m for m in get_modes(release) if m) or "none"
        raise VersionError(f"{text!r}: the modes of {release} are: {known}")
    return Version(release, mode)


def _list_known(release: str) -> str:
    """The known releases that begin like this one, or all of them."""
    alike = [known for known in RELEASES if known.startswith(release[:3])]
    return f"it knows {', '.join(alike or RELEASES)}"


def find_version(variants: tuple[str, ...]) -> Version:
    """The first version with these rules; 4.4.0 if the variants name none."""
    names = [name for name in variants if name in RULE_SETS]
    return parse_version(names[-1]) if names else Version()


USUAL_VERSION = Version()


def apply_rule_set(structure: Group, name: str) -> Group:
    """The structure under the rules of a release, by the name of the first release with these.

    A controller makes the elected broker a SYNC_MASTER, whatever ``brokerRole`` says
    (ReplicasManager#changeToMaster at 5.0.0).
    """
    if name in ("", USUAL):
        return structure
    is_controlled = name.endswith(f"-{CONTROLLER}")
    role = Role.SYNC_MASTER if is_controlled else structure.role
    return evolve(structure, role=role, variants=(*structure.variants, name))


@cache
def _collect_rule_sets() -> Mapping[tuple[str, ...], str]:
    """The first version of each set of changes."""
    found: dict[tuple[str, ...], str] = {}
    for version in list_versions():
        names = tuple(v.name for v in version.changes)
        if names:
            found.setdefault(names, version.name)
    return found


def _find_rule_set(changes: tuple[Variant, ...]) -> str:
    return _collect_rule_sets().get(tuple(v.name for v in changes), "")


RULE_SETS: Mapping[str, tuple[Variant, ...]] = {
    name: parse_version(name).changes for name in _collect_rule_sets().values()
}
"""The changes of a release, by the name of the first release and mode with exactly these. A
structure names one like a variant."""


@cache
def expand(names: tuple[str, ...]) -> tuple[Variant, ...]:
    """The variants of these names, those of a release one by one; of duplicates the first wins.

    Raises KeyError for a name that is no variant's.
    """
    return tuple(
        variant
        for name in names
        for variant in (RULE_SETS[name] if name in RULE_SETS else (_find_change(name),))
    )


def _find_change(name: str) -> Variant:
    return PEERS[name] if name in PEERS else VARIANTS[name]


@cache
def compute_rules(variants: tuple[str, ...]) -> Mapping[str, Rule]:
    """The rules under some variants: 4.4.0's in their order, then the added ones.

    If two variants override the same rule, the one named first wins. Raises KeyError for a name
    that is no variant's.
    """
    rules = dict(RULES)
    for variant in reversed(expand(variants)):
        for name in variant.removes:
            rules.pop(name, None)
        rules.update(variant.rules)
    return rules

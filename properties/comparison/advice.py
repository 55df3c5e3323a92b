"""What an operator does before and after an upgrade; each piece of advice says how it is known."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.comparison.upgrades import (
    ReleaseChange,
    compute_difference,
    list_all_changes,
)
from reference.language.variant import Variant
from reference.releases.known_differences import KNOWN_DIFFERENCES, KnownDifference
from reference.releases.releases import RELEASES, is_since
from reference.releases.timing_differences import TIMING_DIFFERENCES
from reference.releases.versions import RECORDED_VERSIONS, Version, parse_version
from reference.worlds.replication.changes import VARIANTS

ADVICE_FILE = Path(__file__).with_name("advice.toml")

RECORDED = ("recordings", "v498_", "v533_")
"""Words of a source that is a recording of real brokers."""


@frozen
class Advice:
    """Something to do because of an upgrade."""

    when: str
    """``before`` or ``after``."""
    do: str
    why: str
    changes: tuple[str, ...] = field(default=(), converter=tuple)
    """Changes that the upgrade brings."""
    lost: tuple[str, ...] = field(default=(), converter=tuple)
    """Changes that it takes away."""
    between: tuple[str, ...] = field(default=(), converter=tuple)
    """Changes of releases that it passes."""
    since: str = ""
    """The first release of which it is true, if no change is named."""
    source: str = ""
    """How it is known, if not as its changes are."""
    keys: tuple[str, ...] = field(default=(), converter=tuple)
    """The keys of a later release that it names."""
    verdicts: tuple[tuple[str, str, str, str], ...] = field(default=(), converter=tuple)
    """Structure, guarantee, fault model, and the verdict that it relies on."""

    @property
    def known_from(self) -> str:
        """Its own source, or how each of its changes is known."""
        names = (*self.changes, *self.lost, *self.between)
        found = dict.fromkeys(say_known(find_change(name)) for name in names)
        return self.source or "; ".join(found)

    def is_for(self, before: Version, after: Version) -> bool:
        """The upgrade gives reason to do it."""
        difference = compute_difference(before, after)
        gained = {change.name for change in difference.gained}
        lost = {change.name for change in difference.lost}
        passed = {c.name for v in list_passed(before, after) for c in list_all_changes(v)}
        passed -= {c.name for v in (before, after) for c in list_all_changes(v)}
        is_first = bool(self.since) and not is_since(before.release, self.since)
        return bool(
            gained.intersection(self.changes)
            or lost.intersection(self.lost)
            or passed.intersection(self.between)
            or (is_first and is_since(after.release, self.since))
        )


def list_passed(before: Version, after: Version) -> Iterator[Version]:
    """The releases between two, in the mode of the later one where they have it."""
    first, last = RELEASES.index(before.release), RELEASES.index(after.release)
    for release in RELEASES[first + 1 : last]:
        yield Version(release, after.mode)


def find_change(name: str) -> ReleaseChange:
    """A change of rules, of time, or a known difference. Raises KeyError for another name."""
    known: dict[str, ReleaseChange] = {**VARIANTS, **TIMING_DIFFERENCES, **KNOWN_DIFFERENCES}
    return known[name]


def say_known(change: ReleaseChange) -> str:
    """How a change is known, for example ``recordings of real brokers``."""
    if isinstance(change, KnownDifference):
        return change.evidence.value
    is_recorded = any(word in change.comes_from for word in RECORDED)
    is_recorded = is_recorded or (isinstance(change, Variant) and is_of_recorded(change))
    return "recordings of real brokers" if is_recorded else "source at the tag"


def is_of_recorded(change: Variant) -> bool:
    """A version that was recorded has it, and recordings of it conform to its rules."""
    return any(change in parse_version(name).changes for name in RECORDED_VERSIONS)


@cache
def load_advice() -> tuple[Advice, ...]:
    """Every piece of advice, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(ADVICE_FILE.read_text("utf-8"))["advice"]
    return tuple(Advice(**entry) for entry in entries)


def list_advice(before: Version, after: Version) -> list[Advice]:
    """What is to be done for an upgrade, what comes before it first."""
    found = (each for each in load_advice() if each.is_for(before, after))
    return sorted(found, key=lambda each: each.when != "before")

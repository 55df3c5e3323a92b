"""Expected verdicts: data with a reason each, compared with what the engines decide."""

from __future__ import annotations

import tomllib
from functools import cache, singledispatch
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.verdict import VerdictWord
from reference.put import has_slave_wait, is_slave_always_asked
from reference.roles import Role
from reference.state import Message
from reference.structure import Structure
from reference.version import find_version
from reference.world import make_template

EXPECTATIONS_FILE = Path(__file__).parent / "expected_verdicts.toml"


def _as_pairs(settings: Any) -> tuple[tuple[str, bool], ...]:
    return tuple(dict(settings).items())


@frozen
class Expectation:
    """What certain cells of one guarantee are expected to be."""

    guarantee: str
    verdict: VerdictWord = field(converter=VerdictWord)
    is_claimed: bool
    """An operator may rely on the guarantee here, by what the documentation promises."""
    reason: str
    """One sentence: why the verdict is what it is."""
    roles: tuple[str, ...] = field(default=(), converter=tuple)
    flushes: tuple[str, ...] = field(default=(), converter=tuple)
    slaves: tuple[int, ...] = field(default=(), converter=tuple)
    faults: tuple[str, ...] = field(default=(), converter=tuple)
    releases: tuple[str, ...] = field(default=(), converter=tuple)
    """The releases that the entry is about, by the first of those with the same rules; empty: all
    of which no entry before says something else."""
    settings: tuple[tuple[str, bool], ...] = field(default=(), converter=_as_pairs)
    """In another world than replication: fields of the structure with their values."""

    def fits(self, structure: Any, fault: str) -> bool:
        """The entry speaks about this structure and fault class."""
        asked: list[tuple[tuple[Any, ...], Any]] = [(self.faults, fault)]
        asked += [((value,), getattr(structure, name)) for name, value in self.settings]
        if isinstance(structure, Structure):
            asked += [
                (self.roles, get_waiting_role(structure)),
                (self.releases, find_version(structure.variants).rule_set),
                (self.flushes, structure.flush_disk_type.name),
                (self.slaves, structure.slaves),
            ]
        return all(not wanted or value in wanted for wanted, value in asked)


def get_waiting_role(structure: Structure) -> str:
    """The role as far as puts are concerned: a SYNC_MASTER that may answer alone is none."""
    template = make_template(structure)
    is_waiting = has_slave_wait(template, Message()) and is_slave_always_asked(template)
    return (Role.SYNC_MASTER if is_waiting else Role.ASYNC_MASTER).name


@cache
def load_expectations(file: Path = EXPECTATIONS_FILE) -> tuple[Expectation, ...]:
    """All entries, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text())["expected"]
    return tuple(Expectation(**entry) for entry in entries)


@singledispatch
def get_expectations_file(structure: Any) -> Path:
    """The file that speaks of a structure's world."""
    return EXPECTATIONS_FILE


def find_expectation(guarantee: str, structure: Any, fault: str) -> Expectation:
    """The entry that decides a cell. Raises LookupError when there is none."""
    for entry in load_expectations(get_expectations_file(structure)):
        if entry.guarantee == guarantee and entry.fits(structure, fault):
            return entry
    raise LookupError(f"no expectation for {guarantee} of {structure.name} under {fault}")

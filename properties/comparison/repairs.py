"""The effect of each repair of the false acknowledgements in each release that has them.

A repair is applied to a release. The verdicts that it proves, and those that it breaks, are decided
by induction for the stock synchronous pair and stored. ``./rmqspec renew`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attrs import asdict, evolve, field, frozen

from properties.checkout import PROGRAM
from properties.comparison.difference_search import REPAIRS, RULE_SET_NAMES
from properties.verdicts.certificates import CERTIFICATE_FOLDER
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import Tag, list_tagged_groups
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import prove_lemmas
from properties.z3.ranking import rank_steps
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.replication.put import has_slave_wait
from reference.worlds.replication.state import Message

REPAIR_FILE = CERTIFICATE_FOLDER / "repairs.json"
REPAIRED_CLAIM = "acknowledgement_is_truthful"
CONTROLLER_RULE = "controller_mode"
"""A change that is itself a repair, of another kind: no repair is applied to it."""


def _as_tuple(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


def _as_pairs(cells: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell) for cell in cells)


@frozen
class Repair:
    """A repair on top of a release."""

    release: str
    """The first release with these rules."""
    variant: str
    digest: str
    """The digest of the rules that it was decided for."""
    gained: tuple[tuple[str, ...], ...] = field(converter=_as_pairs)
    """Verdicts (guarantee, fault model) that are proved with it and not without it."""
    lost: tuple[tuple[str, ...], ...] = field(converter=_as_pairs)
    """Verdicts that are proved without it and not with it."""
    endless: tuple[str, ...] = field(converter=_as_tuple)
    """Steps that may repeat forever with it and not without it."""

    @property
    def repaired_columns(self) -> tuple[str, ...]:
        """The fault models under which answers become truthful."""
        return tuple(column for claim, column in self.gained if claim == REPAIRED_CLAIM)


def list_repaired_releases() -> tuple[str, ...]:
    """The releases whose SYNC_MASTER waits for slaves without a controller."""
    return tuple(name for name in RULE_SET_NAMES if _is_waiting(name))


def _is_waiting(name: str) -> bool:
    structure = get_repaired(name, ())
    is_controlled = any(v.name == CONTROLLER_RULE for v in RULE_SETS.get(name, ()))
    return has_slave_wait(structure.template, Message()) and not is_controlled


def get_repaired(release: str, repairs: tuple[str, ...]) -> ClaimedGroup:
    """The stock synchronous pair of a release with repairs."""
    return apply_rule_set(evolve(list_tagged_groups(Tag.COMPARED)[0], variants=repairs), release)


def decide_repair(release: str, variant: str) -> Repair:
    """The verdicts that a repair proves and breaks, by induction. Raises SolverGaveUpError."""
    before, after = get_repaired(release, ()), get_repaired(release, (variant,))
    old, new = find_proved(before), find_proved(after)
    endless = [s for s in find_endless(after) if s not in find_endless(before)]
    return Repair(
        release,
        variant,
        compute_digest(after),
        gained=[cell for cell in new if cell not in old],
        lost=[cell for cell in old if cell not in new],
        endless=endless,
    )


@cache
def find_proved(structure: ClaimedGroup) -> list[tuple[str, str]]:
    """The verdicts that induction proves."""
    prover = FaultSetProver(structure, prove_lemmas(structure))
    return [(claim, c.name) for c in FAULT_MODELS for claim in prover.decide(c).proved]


@cache
def find_endless(structure: ClaimedGroup) -> list[str]:
    """Healing steps that are not proved to end."""
    steps = rank_steps(structure, prove_lemmas(structure))
    return [step.instance for step in steps if not step.is_smaller]


def decide_repairs(release: str) -> list[Repair]:
    """Every repair of a release. Raises SolverGaveUpError."""
    return [decide_repair(release, variant) for variant in REPAIRS]


def save_repairs(release: str, repairs: Iterable[Repair], path: Path = REPAIR_FILE) -> None:
    """Write the decided repairs of a release; those of others are kept."""
    write_entry(path, release, [asdict(repair) for repair in repairs], RULE_SET_NAMES)


def load_repairs(release: str, path: Path = REPAIR_FILE) -> tuple[Repair, ...]:
    """The stored repairs of a release.

    Raises InternalDisagreementError if they are missing or rules have changed since.
    """
    again = f'run `{PROGRAM} renew "{name_artefact(release)}"`'
    try:
        repairs = tuple(Repair(**document) for document in read_entries(path)[release])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise InternalDisagreementError(f"no repair of {release} is stored; {again}") from problem
    for repair in repairs:
        structure = get_repaired(release, (repair.variant,))
        if repair.digest != compute_digest(structure):
            raise InternalDisagreementError(
                f"{structure.name} has other rules than when its repair was decided; {again}"
            )
    return repairs


def load_all_repairs() -> tuple[Repair, ...]:
    """The stored repairs of all releases. Raises InternalDisagreementError."""
    return tuple(each for release in list_repaired_releases() for each in load_repairs(release))


def name_artefact(release: str) -> str:
    """The name of a release's repairs among all that is computed."""
    return f"repairs of {release}"

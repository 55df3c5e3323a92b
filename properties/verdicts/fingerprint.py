"""What a certificate was made from, part by part: a change costs only what it touches; its seal.

A rule is recorded with its effect and with each condition by itself. Adding conditions only removes
behaviour: a shortest schedule that is still possible stays the shortest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import attrs
from attrs import frozen

from properties.language.fault_model import SEARCHED
from properties.language.property import Property
from properties.language.world import ClaimedStructure
from reference.language.leaves import flatten
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.structure import LATER
from reference.language.terms import Term

Fingerprint = Mapping[str, Any]
"""``frame``: initial state, sizes and fault models; ``rules``: for each rule the digest of its
effect, then one for each condition; ``claims`` and ``lemmas``: a digest each."""


def compute_digest(structure: ClaimedStructure) -> str:
    """A digest of everything that decides a structure's verdicts and shortest schedules."""
    text = f"{_describe_frame(structure)}\n" + "\n".join(
        f"{r.instance.name} {dict(r.conditions)} {r.arguments} {dict(r.effects)}"
        for r in record_machine(structure)
    )
    for name, g in structure.world.claims.items():
        text += f"\n{name} {record_predicate(structure, g.predicate)}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def compute_rules_digest(structures: Iterable[ClaimedStructure]) -> str:
    """A digest of all steps of these structures; claims do not count."""
    told = (f"{s.name} {_describe_rules(record_machine(s))}\n" for s in structures)
    return hashlib.sha256("".join(told).encode()).hexdigest()[:16]


@cache
def compute_fingerprint(structure: ClaimedStructure) -> Fingerprint:
    """The fingerprint of a structure's verdicts now."""
    return {
        "frame": _shorten(_describe_frame(structure)),
        "rules": _describe_rules(record_machine(structure)),
        "claims": _describe_properties(structure, structure.world.claims),
        "lemmas": _describe_properties(structure, structure.world.get_lemmas(structure)),
    }


def _describe_frame(structure: ClaimedStructure) -> str:
    """Everything but rules and claims, in words that do not depend on class names.

    A field that only later forms of a structure need counts where it is not the default.
    """
    shape = attrs.asdict(
        structure, filter=lambda a, v: not (LATER in a.metadata and v == a.default)
    )
    return f"{shape}\n{_describe_beginning(structure)}"


def _describe_beginning(structure: ClaimedStructure) -> str:
    """The initial state, the fault models and the sizes of a search."""
    world = structure.world
    begin = flatten(structure.make_initial(world.sizes.search))
    models = [(model.name, model.admitted) for model in world.fault_models]
    return f"{begin}\n{models}\n{SEARCHED}"


def _describe_rules(recorded: Iterable[RecordedInstance]) -> dict[str, str]:
    """For each rule the digest of its effect, then those of its conditions, over all instances."""
    effects: dict[str, str] = {}
    conditions: dict[str, dict[str, str]] = {}
    for r in recorded:
        name = r.instance.rule.name
        told = f"{r.instance.name} {r.arguments} {dict(r.effects)}\n"
        effects[name] = effects.get(name, "") + told
        by_name = conditions.setdefault(name, {})
        for condition, term in r.conditions.items():
            by_name[condition] = by_name.get(condition, "") + f"{r.instance.name} {term}\n"
    return {
        name: " ".join([_shorten(effect), *sorted(map(_shorten, conditions[name].values()))])
        for name, effect in effects.items()
    }


def _describe_properties(
    structure: ClaimedStructure, properties: Mapping[str, Property]
) -> dict[str, str]:
    return {
        name: _shorten_term(record_predicate(structure, p.predicate))
        for name, p in properties.items()
    }


@cache
def _shorten_term(term: Term) -> str:
    """Most structures share their terms, and some terms take long to write."""
    return _shorten(str(term))


def _shorten(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@frozen
class FingerprintDifference:
    """What has changed since a certificate was made."""

    is_frame_changed: bool
    """The initial state, the sizes of a search, or the fault models have changed."""
    more: tuple[str, ...]
    """Rules that are new, or that allow a step they did not allow."""
    less: tuple[str, ...]
    """Rules that are gone, or that only have more conditions."""
    claims: tuple[str, ...]
    """Claims that are new, changed or gone."""
    lemmas: tuple[str, ...]
    """Lemmas that are new, changed or gone."""

    @property
    def touches_cells(self) -> bool:
        """A verdict may have changed. Changed lemmas change no verdict: they only prove it."""
        return self.is_frame_changed or bool(self.more or self.less or self.claims)

    def keeps_shortest(self, claim: str) -> bool:
        """A schedule that was shortest against a claim, and still refutes, is still shortest."""
        return not (self.is_frame_changed or self.more or claim in self.claims)

    def __bool__(self) -> bool:
        return self.touches_cells or bool(self.lemmas)

    def __str__(self) -> str:
        told = {
            "rules that allow more": self.more,
            "rules that allow less": self.less,
            "claims": self.claims,
            "lemmas": self.lemmas,
        }
        parts = ["the initial state, sizes or fault models"] * self.is_frame_changed
        parts += [f"{what}: {', '.join(names)}" for what, names in told.items() if names]
        return "; ".join(parts)


def compute_difference(
    before: Fingerprint, structure: ClaimedStructure, base: ClaimedStructure | None = None
) -> FingerprintDifference:
    """The changes of a structure since ``before``, its own fingerprint or that of a ``base``.

    Raises KeyError or TypeError if ``before`` is no fingerprint.
    """
    now, base = compute_fingerprint(structure), base or structure
    is_alike = _describe_beginning(base) == _describe_beginning(structure)
    gone = before["rules"].keys() - now["rules"].keys()
    changed = tuple(_list_differing(before["rules"], now["rules"]))
    stronger = {n for n in changed if _has_only_gained(before["rules"].get(n), now["rules"].get(n))}
    return FingerprintDifference(
        before["frame"] != compute_fingerprint(base)["frame"] or not is_alike,
        tuple(n for n in changed if n not in gone and n not in stronger),
        tuple(n for n in changed if n in gone or n in stronger),
        tuple(_list_differing(before["claims"], now["claims"])),
        tuple(_list_differing(before["lemmas"], now["lemmas"])),
    )


def _list_differing(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*now, *before]):
        if before.get(name) != now.get(name):
            yield name


def _has_only_gained(before: str | None, now: str | None) -> bool:
    """The effect is unchanged, and no condition is gone."""
    if before is None or now is None:
        return False
    effect, *conditions = before.split()
    effect_now, *conditions_now = now.split()
    return effect == effect_now and set(conditions) <= set(conditions_now)


SEAL = "seal"
"""The key of a certificate's seal: what a search has found, bound to the rules that were searched.

Proofs are made again and schedules replayed at each use. That a schedule is the shortest, and that
a verdict is open, only a search knows: an edit or a merge that changes one of these, or takes rules
from one side and verdicts from the other, breaks the seal. A seal has no secret, so it protects
from accidents, not from a program that computes it anew."""


def compute_seal(document: Mapping[str, Any]) -> str:
    """The seal that fits a certificate.

    Raises KeyError, TypeError or AttributeError for what is no certificate.
    """
    searched = sorted(
        json.dumps(
            {
                "guarantee": cell["guarantee"],
                "fault": cell["fault"],
                "verdict": cell["verdict"],
                "steps": len(cell.get("schedule", ())),
                "depth": cell.get("depth"),
                "is_shortest": cell.get("is_shortest", True),
            }
        )
        for cell in document["cells"]
    )
    text = json.dumps([document["structure"], document["fingerprint"], searched], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_sealed(document: Mapping[str, Any]) -> bool:
    """A certificate is as a search or a renewal has written it, as far as nothing else tells."""
    try:
        return bool(document[SEAL] == compute_seal(document))
    except (KeyError, TypeError, AttributeError):
        return False

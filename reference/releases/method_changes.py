"""What each change of a method that a rule cites means for the rules, release by release.

At which releases the text of a method changed is made from the releases' own source
(``tests/reference/releases/make_method_digests.py``); what the change means is written by hand in
``method_changes.toml``.
"""

from __future__ import annotations

import enum
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen

from reference.releases.releases import is_since
from reference.worlds.replication.rules import RULES

DIGESTS = files(__package__) / "method_digests.json"
"""The releases whose source was read; for each method the releases at which its text is new, with a
digest of it."""

REASONS = files(__package__) / "method_changes.toml"
"""Successors of methods, methods that are left out, and what each change means."""

_CITATION = re.compile(r"(?:([A-Z][\w.]*) ?)?(#\w+|\(constructor\))")


class ChangeKind(enum.Enum):
    """What is known of a change of a method."""

    NAMED = "named"
    """Named changes of the model have all of it that matters."""
    WITHOUT_EFFECT = "without effect"
    """What the rules say of the method stays as it is."""
    UNEXPLAINED = "unexplained"
    """The rules may say something else than the method does from here on."""


@frozen
class MethodChange:
    """One change of the text of a method between two tags."""

    method: str
    """The method as a rule cites it."""
    release: str
    """The first release whose tag has the new text."""
    changes: tuple[str, ...] = ()
    """Variants, timing differences and known differences that it brings or ends."""
    because: str = ""
    """Why the rest of it, or all, makes no difference to the rules."""
    unexplained: str = ""
    """What it does that no rule, variant or difference has."""

    @property
    def kind(self) -> ChangeKind:
        """What is known of it, the worst first."""
        if self.unexplained:
            return ChangeKind.UNEXPLAINED
        return ChangeKind.NAMED if self.changes else ChangeKind.WITHOUT_EFFECT


@frozen
class Successor:
    """What a method that a rule cites became in a later release."""

    method: str
    """The method as a rule cites it."""
    since: str
    """The first release in which others do its work."""
    methods: tuple[str, ...]
    """Those others."""


def list_cited(source: str) -> Iterator[str]:
    """The methods that the source of a rule cites, each with its class."""
    owner = ""
    for named, member in _CITATION.findall(source):
        owner = named or owner
        name = owner.rpartition(".")[2] if member == "(constructor)" else member[1:]
        yield f"{owner}#{name}"


def list_cited_methods() -> tuple[str, ...]:
    """Every method that a rule cites, without those that are left out."""
    cited = {method for rule in RULES.values() for method in list_cited(rule.source)}
    return tuple(sorted(cited - load_left_out().keys()))


@cache
def _load_reasons() -> Mapping[str, Any]:
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))


def load_left_out() -> Mapping[str, str]:
    """The methods that rules cite and that are not compared, with the reason."""
    left_out: Mapping[str, str] = _load_reasons()["left_out"]
    return left_out


@cache
def load_successors() -> tuple[Successor, ...]:
    """Every successor, those of one method in the order of their releases."""
    return tuple(
        Successor(method, since, tuple(names))
        for method, steps in _load_reasons()["successors"].items()
        for since, names in steps.items()
    )


@cache
def load_digests() -> tuple[tuple[str, ...], Mapping[str, Mapping[str, str]]]:
    """The releases that were read, oldest first; for each method its new digests by release."""
    document = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return tuple(document["releases"]), {m: dict(row) for m, row in document["methods"].items()}


@cache
def load_method_changes() -> tuple[MethodChange, ...]:
    """What is known of every change of every method."""
    return tuple(
        MethodChange(
            entry["method"],
            entry["release"],
            tuple(entry.get("changes", ())),
            entry.get("because", ""),
            entry.get("unexplained", ""),
        )
        for entry in _load_reasons()["change"]
    )


def find_method(method: str, release: str) -> tuple[str, ...]:
    """What does the work of a method in a release: itself, or its latest successors by then."""
    found: tuple[str, ...] = (method,)
    for successor in load_successors():
        if successor.method == method and is_since(release, successor.since):
            found = successor.methods
    return found


def find_release_before(release: str) -> str:
    """The release read before this one. Raises ValueError for one that was not read."""
    releases, _ = load_digests()
    return releases[releases.index(release) - 1]


def list_method_changes(method: str) -> tuple[MethodChange, ...]:
    """The changes of a method as a rule cites it, oldest first."""
    return tuple(change for change in load_method_changes() if change.method == method)


def count_change_kinds() -> Counter[ChangeKind]:
    """How many changes of methods are dealt with in each way."""
    return Counter(change.kind for change in load_method_changes())

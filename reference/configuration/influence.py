"""What each key of a broker's file has to do with the verdicts about its group.

Which classes read a key is made from the releases' own source
(``tests/reference/configuration/make_key_readers.py``); what follows from it is written by hand in
``influence.toml``. A key whose effect nobody knows is *unknown*, and not without influence.
"""

from __future__ import annotations

import enum
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen

from reference.configuration.release_keys import load_release_keys
from reference.releases.releases import is_since

INFLUENCES = files(__package__) / "influence.toml"
READERS = files(__package__) / "key_readers.json"
"""The releases whose source was read; for each key the first and the last of them that read it, and
the classes that do in the last."""


class InfluenceKind(enum.Enum):
    """How a key is dealt with."""

    MODELLED = "modelled"
    """Rules, sizes, or what is said of consumers have it."""
    ASSUMED = "assumed"
    """An assumption reads it."""
    OUTSIDE = "outside"
    """The model has one value of it, or leaves its feature out."""
    NONE = "none"
    """Every value allows what the rules allow, or less."""
    UNKNOWN = "unknown"
    """Nobody has looked closely enough."""


@frozen
class KeyInfluence:
    """What is known of one key."""

    kind: InfluenceKind
    because: str


UNREAD = KeyInfluence(InfluenceKind.NONE, "no class of a broker reads it")
"""What is known of every other key of a release whose source was read."""


@frozen
class KeyReaders:
    """Who reads one key."""

    since: str
    """The first release whose source reads it."""
    last: str
    """The last one."""
    classes: tuple[str, ...]
    """The classes that read it there."""


@cache
def load_influences() -> Mapping[str, KeyInfluence]:
    """What is known of each key. Raises ValueError for a key that is listed twice."""
    entries = tomllib.loads(INFLUENCES.read_text(encoding="utf-8"))["influence"]
    found: dict[str, KeyInfluence] = {}
    for entry in entries:
        for key in entry["keys"].split():
            if key in found:
                raise ValueError(f"{key} is listed twice")
            found[key] = KeyInfluence(InfluenceKind(entry["kind"]), entry["because"])
    return found


@cache
def load_readers() -> tuple[tuple[str, ...], Mapping[str, KeyReaders]]:
    """The releases whose source was read, oldest first, and the readers of each key."""
    document = json.loads(READERS.read_text(encoding="utf-8"))
    rows = document["keys"].items()
    readers = {key: KeyReaders(since, last, tuple(names)) for key, (since, last, *names) in rows}
    return tuple(document["releases"]), readers


def find_source(release: str) -> str:
    """The release whose source is taken for a release: its own, else the last one before it."""
    releases, _ = load_readers()
    return [each for each in releases if is_since(release, each)][-1]


def list_read_keys(release: str) -> tuple[str, ...]:
    """The keys that some class of a broker of this release reads, by the source taken for it."""
    _, readers = load_readers()
    source = find_source(release)
    known = load_release_keys()[source].keys
    return tuple(
        key
        for key, r in readers.items()
        if key in known and is_since(source, r.since) and is_since(r.last, source)
    )


def count_kinds(release: str) -> Counter[InfluenceKind]:
    """How many keys that a broker of this release reads are dealt with in each way."""
    influences = load_influences()
    return Counter(influences[key].kind for key in list_read_keys(release))

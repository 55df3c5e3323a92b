"""The keys that each release of RocketMQ reads from a broker's file, with kinds and defaults.

``MixAll#properties2Object`` copies the file into objects: a key is known if one of them has a
public setter of that name for a number, a truth value or a text. The table is made from the
releases' own source (``tests/reference/configuration/make_release_keys.py``); where that was not
read, a release has the keys of the one before and those of which threads speak.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import frozen

from reference.configuration.key import Key, ValueKind
from reference.releases.releases import ALL_RELEASES, is_since

DATA = files(__package__) / "release_keys.json"
"""For each release: its source, the git blobs of classes that changed, keys that are new or have
another default, and keys that are gone."""

ADDRESS_SERVER = ("rmqAddressServerDomain", "rmqAddressServerSubGroup")
"""Read outside the objects in every release, by BrokerStartup#properties2SystemEnv."""

FIRST_THAT_TRIMS = "5.2.0"
"""From here on blanks around a text are cut off (MixAll#properties2Object)."""

_KINDS = {
    "int": ValueKind.INT,
    "long": ValueKind.LONG,
    "double": ValueKind.DECIMAL,
    "boolean": ValueKind.BOOLEAN,
    "String": ValueKind.STRING,
    "choice": ValueKind.CHOICE,
}


@frozen
class ReleaseKeys:
    """What is known of the keys of one release."""

    source: str
    """The tag that was read, or the commit; empty if neither was at hand."""
    keys: Mapping[str, Key]
    """Every key by name."""


def _make_key(name: str, owner: str, row: list[Any]) -> Key:
    kind, default, *choices = row
    return Key(name, _KINDS[kind], default, tuple(*choices), owner)


@cache
def load_release_keys() -> Mapping[str, ReleaseKeys]:
    """The keys of every release, oldest first."""
    table: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    keys = {name: Key(name, ValueKind.STRING, None) for name in ADDRESS_SERVER}
    found = {}
    for release, entry in table.items():
        gone = set(entry["gone"])
        keys = {name: key for name, key in keys.items() if name not in gone}
        for owner, rows in entry["keys"].items():
            keys |= {name: _make_key(name, owner, row) for name, row in rows.items()}
        found[release] = ReleaseKeys(entry["source"], keys)
    return found


def get_keys(release: str) -> Mapping[str, Key]:
    """The keys of a release by name. Raises KeyError for an unknown release."""
    return load_release_keys()[release].keys


READ_BEFORE = {"5.3.4": "its source was read as it was two months before it was published"}
"""Releases of which a development branch was read, no tag."""


def is_source_read(release: str) -> bool:
    """The source of this very release was read, so a key that it lacks here is unknown to it."""
    return bool(load_release_keys()[release].source) and release not in READ_BEFORE


def say_source(release: str) -> str:
    """Why not every key of a release is known."""
    return READ_BEFORE.get(release, "its source was not read")


def find_key(name: str, release: str) -> Key | None:
    """The key of this name, if the release reads it."""
    return get_keys(release).get(name)


@cache
def _list_all() -> Mapping[str, tuple[str, ...]]:
    """The releases that read a key, for each key that some release reads."""
    found: dict[str, tuple[str, ...]] = {}
    for release in ALL_RELEASES:
        for name in get_keys(release):
            found[name] = (*found.get(name, ()), release)
    return found


def list_releases(name: str) -> tuple[str, ...]:
    """The releases that read a key, oldest first; none for a key that RocketMQ never had."""
    return _list_all().get(name, ())


def say_known(name: str) -> str:
    """Which releases read a key: ``since 4.5.0``, ``until 4.9.8``, ``4.9.8, and since 5.2.0``."""
    return ", and ".join(_list_spans(list_releases(name)))


def _list_spans(releases: tuple[str, ...]) -> Iterator[str]:
    """Runs of neighbouring releases, in words."""
    places = [ALL_RELEASES.index(release) for release in releases]
    starts = [p for p in places if p - 1 not in places]
    ends = [p for p in places if p + 1 not in places]
    for start, end in zip(starts, ends, strict=True):
        first, last = ALL_RELEASES[start], ALL_RELEASES[end]
        if end == len(ALL_RELEASES) - 1:
            yield f"since {first}"
        elif start == 0:
            yield f"until {last}"
        else:
            yield f"in {first}" if start == end else f"from {first} to {last}"


def trim(key: Key, text: str, release: str) -> str:
    """A value as the setter gets it: later releases cut off blanks around a text."""
    is_text = key.kind in (ValueKind.STRING, ValueKind.CHOICE)
    return text.strip() if is_text and is_since(release, FIRST_THAT_TRIMS) else text

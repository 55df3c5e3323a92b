"""Makes ``key_readers.json``: which classes of a broker read each key, release by release.

Run by hand with a clone that has all tags: ``python -m
tests.reference.configuration.make_key_readers CLONE``. A class reads a key if its text calls the
key's getter on a configuration. Facts are kept, no code.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from reference.configuration.release_keys import load_release_keys
from tests.reference.configuration.make_release_keys import Source

FILE = Path(__file__).parents[3] / "reference/configuration/key_readers.json"
"""The table that is made."""

ROOMS = re.compile(r"(?:store|broker|remoting)/src/main/java/.*/(\w+)\.java")
"""The modules of a broker's process."""

CONFIGURATIONS = ("BrokerConfig", "MessageStoreConfig", "NettyServerConfig")
"""The classes that hold keys; what they call themselves is no reader."""

GETTER = re.compile(r"(?i:config)\w*(?:\(\))?\s*\.\s*(?:get|is)([A-Z]\w*)\(\)")
"""A call such as ``this.brokerConfig.getBrokerName()`` or ``getMessageStoreConfig().isX()``."""


@frozen
class Reading:
    """The releases in which a key is read, and by which classes in the last of them."""

    since: str
    last: str
    classes: tuple[str, ...]


def read_release(source: Source, keys: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """The classes that read each key in one release."""
    found: dict[str, set[str]] = {}
    for path in source.list_files():
        named = ROOMS.fullmatch(path)
        if named is None or named[1] in CONFIGURATIONS:
            continue
        for key in list_read(source.read(path)) & keys:
            found.setdefault(key, set()).add(named[1])
    return {key: tuple(sorted(classes)) for key, classes in found.items()}


def list_read(text: str) -> frozenset[str]:
    """The keys whose getters a class calls on a configuration."""
    return frozenset(name[0].lower() + name[1:] for name in GETTER.findall(text))


def gather(clone: Path) -> Iterator[tuple[str, Mapping[str, tuple[str, ...]]]]:
    """Each release whose source is known by a tag or a commit, with the readers of its keys."""
    for release, known in load_release_keys().items():
        if known.source:
            yield release, read_release(Source(clone, known.source), frozenset(known.keys))


def merge(releases: Mapping[str, Mapping[str, tuple[str, ...]]]) -> dict[str, Reading]:
    """Each key with the first and the last release that read it."""
    found: dict[str, Reading] = {}
    for release, readers in releases.items():
        for key, classes in readers.items():
            since = found[key].since if key in found else release
            found[key] = Reading(since, release, classes)
    return found


def main() -> None:
    """Write the table."""
    releases = dict(gather(Path(sys.argv[1])))
    readings = sorted(merge(releases).items())
    rows = (
        f"  {json.dumps(key)}: {json.dumps([r.since, r.last, *r.classes])}" for key, r in readings
    )
    head = json.dumps(list(releases))
    table = ",\n".join(rows)
    FILE.write_text(f'{{\n "releases": {head},\n "keys": {{\n{table}\n }}\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()

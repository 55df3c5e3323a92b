"""Valid files of a master and its slave with settings drawn from all keys of a release."""

from __future__ import annotations

import random
from pathlib import Path

from reference.configuration.key import Key, ValueKind
from reference.configuration.later_keys import NEW_NAMES
from reference.configuration.release_keys import get_keys
from reference.worlds.replication.parameters import SIZE_KEYS

SETTINGS = 8
"""How many keys of each broker are drawn."""

GIVEN = ("brokerName", "brokerClusterName", "brokerId", "brokerRole", "flushDiskType")
"""Keys that make the two files a group, so that they are not drawn."""

ROLES = ("ASYNC_MASTER", "SYNC_MASTER")
FLUSHES = ("ASYNC_FLUSH", "SYNC_FLUSH")


def draw_value(chance: random.Random, key: Key) -> str:
    """A value that the setter accepts; often the default, as in files of real people."""
    if key.default is not None and chance.random() < 0.25:
        return str(key.default).lower() if key.kind is ValueKind.BOOLEAN else str(key.default)
    match key.kind:
        case ValueKind.BOOLEAN:
            return chance.choice(("true", "false", "TRUE"))
        case ValueKind.CHOICE:
            return chance.choice(key.choices)
        case ValueKind.DECIMAL:
            return str(round(chance.random(), 3))
        case ValueKind.INT | ValueKind.LONG:
            bits = 63 if key.kind is ValueKind.LONG else 31
            return str(chance.choice((1, 2, 100, 4096, 65_536, 2 ** (bits - 8))))
    return chance.choice(("", "x", "127.0.0.1:9876", "/data/store"))


def draw_pair(folder: Path, release: str, seed: int, *, is_stock: bool = False) -> dict[str, str]:
    """Write the two files; the settings that were drawn.

    A stock group has its usual roles and sizes, of which answers are proved once.
    """
    chance = random.Random(seed)
    left_out = {*GIVEN, *((*SIZE_KEYS.values(), *NEW_NAMES.values()) if is_stock else ())}
    keys = {name: key for name, key in get_keys(release).items() if name not in left_out}
    role, flush = chance.choice(ROLES), chance.choice(FLUSHES)
    if is_stock:
        role, flush = "SYNC_MASTER", "ASYNC_FLUSH"
    drawn: dict[str, str] = {}
    folder.mkdir(parents=True)
    for file, own in (
        ("a.conf", f"brokerRole={role}\nflushDiskType={flush}\n"),
        ("b.conf", "brokerRole=SLAVE\nbrokerId=1\n"),
    ):
        names = chance.sample(sorted(keys), SETTINGS)
        settings = {name: draw_value(chance, keys[name]) for name in names}
        lines = "".join(f"{name}={value}\n" for name, value in settings.items())
        (folder / file).write_text(f"brokerName=broker-a\n{own}{lines}", encoding="utf-8")
        drawn |= settings
    return drawn

"""The brokers of a recording: what its first line says of each of them, and where that is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, field

from brokers.recordings.kinds import WITH_HEARTBEATS
from reference.configuration.keys import KEYS, MESSAGE_STORE_CONFIG, ValueKind
from reference.configuration.later_keys import ENABLE_CONTROLLER, get_name_in, is_known_in
from reference.releases.versions import Version
from reference.roles import FlushDiskType, Role

NUMBERS_AND_FLAGS = (ValueKind.INT, ValueKind.LONG, ValueKind.BOOLEAN)
"""Settings that a recording keeps; texts may be addresses, paths or secrets."""


def read_value(text: str) -> int | bool | None:
    """A number or a flag as it is written in a file of properties; None for anything else."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and len(digits) < len(str(2**63)) else None


def describe_node(settings: Mapping[str, str], version: Version) -> dict[str, Any]:
    """The description of a broker with these settings, as its file or the broker itself tells them.

    Only numbers and flags that differ from the defaults are kept. A role or a way to flush that
    there is not counts as the default, as for a broker (MixAll#properties2Object).
    """
    role, flush = settings.get("brokerRole", ""), settings.get("flushDiskType", "")
    broker_id = read_value(settings.get("brokerId", "0"))
    node: dict[str, Any] = {
        "role": role if role in Role.__members__ else Role.ASYNC_MASTER.name,
        "flush_type": flush if flush in FlushDiskType.__members__ else "ASYNC_FLUSH",
        "broker_id": broker_id if isinstance(broker_id, int) else 0,
        "store_config": dict(list_store_settings(settings, version)),
    }
    if settings.get(ENABLE_CONTROLLER, "").lower() == "true":
        node["broker_config"] = {ENABLE_CONTROLLER: True}
    return node


def list_store_settings(
    settings: Mapping[str, str], version: Version
) -> Iterable[tuple[str, int | bool]]:
    """Settings of the store by the names of 4.4.0; later ones by their own."""
    own_names = {get_name_in(key, version): key for key in MESSAGE_STORE_CONFIG}
    for name, text in settings.items():
        value = read_value(text)
        key = KEYS.get(own_names.get(name, ""))
        if value is None or name == ENABLE_CONTROLLER:
            continue
        if key is not None and key.kind in NUMBERS_AND_FLAGS and value != key.default:
            yield key.name, value
        elif key is None and name not in KEYS and is_known_in(name, version):
            yield name, value


@define
class Nodes:
    """Which brokers there are. The settings of each come from one source, the first that tells."""

    names: list[str] = field(factory=list)
    """Those that the first line has to describe, a master before its slaves."""
    told: dict[str, dict[str, Any]] = field(factory=dict)
    """The description by name, as far as it is known."""
    release: str = ""
    """As the first source that knows it tells it."""
    are_started: dict[str, bool] = field(factory=dict)
    """By name, for brokers that tell their starts: it began without a log."""
    changed: set[str] = field(factory=set)
    """Those that have told other settings since."""

    def add(self, name: str, *, is_slave: bool = False) -> None:
        """One more broker is expected."""
        if name not in self.names:
            self.names.insert(len(self.names) if is_slave else 0, name)

    def tell(self, name: str, node: Mapping[str, Any], release: str = "") -> bool:
        """What a source says; False if another one has said something else of role or settings."""
        self.add(name, is_slave=node["role"] == Role.SLAVE.name)
        self.release = self.release or release
        known = self.told.setdefault(name, dict(node))
        is_same = all(known[key] == node[key] for key in ("role", "flush_type", "store_config"))
        if not is_same and name not in self.changed:
            self.changed.add(name)
            return False
        return True

    @property
    def are_known(self) -> bool:
        """Everybody who is expected has told the settings, and somebody is a master."""
        roles = [self.told[name]["role"] for name in self.names if name in self.told]
        is_master_known = any(role != Role.SLAVE.name for role in roles)
        return bool(roles) and len(roles) == len(self.names) and is_master_known

    def describe(self, slaves: Iterable[str]) -> dict[str, Any]:
        """The first line of a recording; for settings that nobody told the defaults are taken."""
        names, slaves = list(self.names), set(slaves)
        if not any(self._is_master(name, slaves) for name in names):
            names.insert(0, "master")
        if any(node["role"] != Role.SLAVE.name for node in self.told.values()):
            slaves.update(name for name in names if name not in self.told)
        nodes = {name: self.told.get(name) or assume(name in slaves) for name in names}
        ordered = sorted(nodes, key=lambda name: nodes[name]["role"] == Role.SLAVE.name)
        assumed = [name for name in ordered if name not in self.told]
        first: dict[str, Any] = {
            "format": 1,
            "rocketmq": self.release or Version().release,
            "nodes": {name: nodes[name] for name in ordered},
            WITH_HEARTBEATS: True,
        }
        if assumed:
            text = f"the settings of {', '.join(assumed)} are not known: defaults are assumed"
            first["note"] = text
        masters = [name for name in ordered if nodes[name]["role"] != Role.SLAVE.name]
        if any(name not in self.are_started for name in masters):
            first["without_puts"] = True
        if not all(self.are_started.get(name, False) for name in ordered):
            first["without_starts"] = True
        return first

    def _is_master(self, name: str, slaves: set[str]) -> bool:
        told = self.told.get(name)
        return name not in slaves if told is None else told["role"] != Role.SLAVE.name


def assume(is_slave: bool) -> dict[str, Any]:
    """RocketMQ's defaults for a broker of which nothing is known."""
    role = Role.SLAVE if is_slave else Role.ASYNC_MASTER
    node = {"role": role.name, "flush_type": "ASYNC_FLUSH", "broker_id": int(is_slave)}
    return {**node, "store_config": {}}

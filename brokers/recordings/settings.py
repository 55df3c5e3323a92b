"""The settings of recorded brokers: the mode that they choose, and those outside the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from brokers.recordings.groups import OutsideTheModel
from brokers.recordings.reading import Recording
from reference.configuration.later_keys import (
    LATER_KEYS,
    MIN_IN_SYNC_REPLICAS,
    compute_mode,
    explain_later_key,
    explain_mode,
    is_known_in,
)
from reference.releases.versions import Version, parse_version

CONFIGS = ("store_config", "broker_config")
"""The fields of a node that have its settings."""


def find_mode(recording: Recording, name: str) -> Version:
    """A release in the mode that the master's settings choose. Raises VersionError."""
    version = parse_version(name)
    master = next(iter(recording.config["nodes"].values()))
    return evolve(version, mode=compute_mode(read_settings(master), version))


def read_settings(node: Mapping[str, Any]) -> Mapping[str, str]:
    """The settings of a node, written as in a file of properties."""
    configs = [node[name] for name in CONFIGS if isinstance(node.get(name), Mapping)]
    settings = {key: value for config in configs for key, value in config.items()}
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in settings.items()
    }


def refuse_settings(recording: Recording, version: Version) -> None:
    """Nothing, if the rules of a version cover the settings of all brokers.

    Raises:
        OutsideTheModel: a broker has a setting that they do not cover.
    """
    for name, node in recording.config["nodes"].items():
        settings = read_settings(node)
        for key, value in settings.items():
            is_read = key in LATER_KEYS and is_known_in(key, version)
            problem = explain_later_key(key, value, version) if is_read else None
            if key == MIN_IN_SYNC_REPLICAS and value != "1":
                problem = "puts may be refused; recordings are judged with 1 only (V-32)"
            if problem:
                raise OutsideTheModel(f"{key}={value} of {name}: {problem}")
        own = compute_mode(settings, Version(version.release))
        problem = explain_mode(settings, own) if own == version.mode else None
        if problem:
            raise OutsideTheModel(f"{name}: {problem}")

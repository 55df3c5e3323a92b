"""The options of all verbs that are asked about broker files: files, release, slaves, changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import frozen

from brokers.configuration_files import read_deployments
from command_line.options.version_option import add_version_option
from reference.configuration.broker_group import (
    BrokerGroup,
    ConfigurationError,
    ConfigurationWarning,
    Deployment,
)
from reference.configuration.deployments import (
    assume_slaves,
    change_master,
    change_slaves,
    sample_group,
)
from reference.configuration.later_keys import is_known_in
from reference.releases.versions import Version

Function = TypeVar("Function", bound=Callable[..., Any])

SLAVES_MAX = 4
"""More slaves than the model covers, so that it can say so."""

SLAVES_PREFIX = "slave."
"""How a change of the slaves' files begins; no key of RocketMQ has a dot."""

CONSUMERS_PREFIX = "consumer."
"""How a change of the consumers' own settings begins."""

FROM_WHERE = "consumeFromWhere"
"""The only setting of consumers that decides a verdict: where a group without progress begins."""

FROM_LAST, FROM_FIRST = "CONSUME_FROM_LAST_OFFSET", "CONSUME_FROM_FIRST_OFFSET"
"""Its values in the model; the first is the default of 4.4.0."""

PATHS = "[FILE_OR_DIRECTORY]..."
"""How broker files are named in the first line of a help."""


@frozen
class SettingChange:
    """Another value of a key, in the files of all masters or slaves, or in all consumers."""

    key: str
    value: str
    is_of_slaves: bool = False
    is_of_consumers: bool = False

    def __str__(self) -> str:
        """As it is typed."""
        prefix = SLAVES_PREFIX if self.is_of_slaves else ""
        return f"{CONSUMERS_PREFIX if self.is_of_consumers else prefix}{self.key}={self.value}"

    def is_known_in(self, version: Version) -> bool:
        """The release knows the key."""
        return is_known_in(self.key, version)


def parse_change(text: str) -> SettingChange:
    """Whose key, and its value; without a prefix it is the master's."""
    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    if key.startswith(CONSUMERS_PREFIX):
        return parse_consumers_change(key.removeprefix(CONSUMERS_PREFIX), value)
    is_of_slaves = key.startswith(SLAVES_PREFIX)
    return SettingChange(key.removeprefix(SLAVES_PREFIX), value, is_of_slaves)


def parse_consumers_change(key: str, value: str) -> SettingChange:
    """A change of the consumers. Raises click.BadParameter for one that the model lacks."""
    if key != FROM_WHERE or value not in (FROM_LAST, FROM_FIRST):
        known = f"{CONSUMERS_PREFIX}{FROM_WHERE}={FROM_FIRST}"
        raise click.BadParameter(f"of consumers only {known} or ={FROM_LAST} is known")
    return SettingChange(key, value, is_of_consumers=True)


def apply_to_consumers(
    consumers: Mapping[str, Any], changes: Sequence[SettingChange]
) -> dict[str, Any]:
    """The options about consumers, as they would be with other settings of the consumers."""
    values = [change.value for change in changes if change.is_of_consumers]
    is_from_first = bool(values) and values[-1] == FROM_FIRST
    return {**consumers, **({"is_from_first": True} if is_from_first else {})}


CHANGES_OPTION = click.option(
    "--what-if",
    "changes",
    multiple=True,
    metavar="[slave.|consumer.]KEY=VALUE",
    callback=lambda context, parameter, values: [parse_change(v) for v in values],
    help="Answer as if each master's file set this key, or each slave's; may be repeated. "
    f"Of consumers only {FROM_WHERE} is known.",
)

SLAVES_OPTION = click.option(
    "--slaves",
    type=click.IntRange(0, SLAVES_MAX),
    help="How many slaves a group has if no slave's file is given. "
    "Default: unknown, with answers for 0 and 1 side by side.",
)


def add_broker_options(*, has_release: bool = True) -> Callable[[Function], Function]:
    """Decorator: the verb takes ``slaves``, ``changes`` and, with a release, ``version``."""

    def add(function: Function) -> Function:
        if has_release:
            function = add_version_option()(function)
        return SLAVES_OPTION(CHANGES_OPTION(function))

    return add


def read(
    paths: Sequence[str], version: Version, *, is_strict: bool = False
) -> tuple[tuple[Deployment, ...], tuple[ConfigurationWarning, ...]]:
    """The deployments in some files; without any file an embedded sample.

    Raises ConfigurationError with the problems of all files.
    """
    if any(not p for p in paths):
        raise ConfigurationError("an empty path was given; name a file or a folder")
    if not paths:
        return (Deployment("embedded sample", (sample_group(version),)),), ()
    return read_deployments([Path(p) for p in paths], version, is_strict=is_strict)


def read_changed(
    paths: Sequence[str], version: Version, slaves: int | None, changes: Sequence[SettingChange]
) -> tuple[Deployment, ...]:
    """The deployments in some files with assumed slaves and other settings."""
    return change_all(assume_all(read(paths, version)[0], slaves), changes)


def repeat_words(
    paths: Sequence[str], version: Version, changes: Sequence[SettingChange], slaves: int | None
) -> tuple[str, ...]:
    """The words by which another verb is asked about these groups."""
    words = list(paths)
    if version.name != Version().name:
        words += ["--rocketmq-version", version.name]
    for change in changes:
        words += ["--what-if", str(change)]
    return (*words, "--slaves", str(slaves)) if slaves is not None else tuple(words)


def assume_all(deployments: tuple[Deployment, ...], slaves: int | None) -> tuple[Deployment, ...]:
    """The deployments, with so many slaves in each group whose slaves' files are not given."""
    if not slaves:
        return deployments
    return tuple(
        Deployment(d.name, tuple(g if g.slaves else assume_slaves(g, slaves) for g in d.groups))
        for d in deployments
    )


def change_all(
    deployments: tuple[Deployment, ...], changes: Sequence[SettingChange]
) -> tuple[Deployment, ...]:
    """The deployments with other settings.

    Raises ConfigurationError for a change of slaves where there are none.
    """
    if not changes:
        return deployments
    has_slaves = any(group.slaves for deployment in deployments for group in deployment.groups)
    if not has_slaves and any(change.is_of_slaves for change in changes):
        raise ConfigurationError("--what-if slave.KEY=VALUE: no group has a slave; see --slaves")
    return tuple(change_deployment(deployment, changes) for deployment in deployments)


def change_deployment(deployment: Deployment, changes: Sequence[SettingChange]) -> Deployment:
    """The deployment as it would be with other settings of its masters or slaves."""
    groups = deployment.groups
    for each in (change for change in changes if not change.is_of_consumers):
        change = change_slaves if each.is_of_slaves else change_master
        groups = tuple(change_group(change, group, each) for group in groups)
    asked = "".join(f", what if {change}" for change in changes)
    return Deployment(deployment.name + asked, groups)


def change_group(
    change: Callable[[BrokerGroup, str, str], BrokerGroup], group: BrokerGroup, each: SettingChange
) -> BrokerGroup:
    """The group with another value of a key."""
    return change(group, each.key, each.value)

"""The options of ``check``: what is required, what would be changed, in which format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from attrs import frozen

from reference.configuration.broker_group import BrokerGroup, ConfigurationError, Deployment
from reference.configuration.files import assume_slaves, change_master, change_slaves
from reference.releases.versions import Version

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "sarif", "junit", "html")
"""How an answer may be written."""

SLAVES_MAX = 4
"""More slaves than the model covers, so that it can say so."""

SLAVES_PREFIX = "slave."
"""How a change begins that is about the slaves; no key of RocketMQ has a dot."""


@frozen
class Change:
    """Another value of a key, in the files of all masters or of all slaves."""

    key: str
    value: str
    is_of_slaves: bool = False

    def __str__(self) -> str:
        """As it was asked."""
        return f"{SLAVES_PREFIX if self.is_of_slaves else ''}{self.key}={self.value}"


def parse_change(text: str) -> Change:
    """Whose key, and its value; without a prefix it is the master's."""
    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    is_of_slaves = key.startswith(SLAVES_PREFIX)
    return Change(key.removeprefix(SLAVES_PREFIX), value, is_of_slaves)


def parse_required(text: str) -> tuple[str, str]:
    """A guarantee and a fault class, which is empty for all of them."""
    # What knows all claims takes longer to import than a remembered answer to print.
    from command_line.options.shared_options import CLAIM, describe_unknown  # noqa: PLC0415
    from properties.worlds import CLAIM_NAMES, PROVED_STRUCTURES, find_world  # noqa: PLC0415

    guarantee, _, fault = text.partition(":")
    if guarantee not in CLAIM_NAMES:
        raise click.BadParameter(describe_unknown(guarantee, CLAIM_NAMES, CLAIM.what))
    structure = next(s for s in PROVED_STRUCTURES.values() if guarantee in find_world(s).claims)
    names = [c.name for c in find_world(structure).fault_models]
    if fault and fault not in names:
        raise click.BadParameter(f"{fault!r} is none of {', '.join(names)}")
    return guarantee, fault


CHANGES_OPTION = click.option(
    "--what-if",
    "changes",
    multiple=True,
    metavar="[slave.]KEY=VALUE",
    callback=lambda context, parameter, values: [parse_change(v) for v in values],
    help="Answer as if the master's file set this key, or each slave's; may be repeated.",
)

SLAVES_OPTION = click.option(
    "--slaves",
    type=click.IntRange(0, SLAVES_MAX),
    help="How many slaves a group has of which no slave's file is given. "
    "Default: unknown; answers for 0 and 1 stand side by side.",
)
"""For groups of which only the master's file is given."""

OPTIONS = (
    click.option("--all", "is_all", is_flag=True, help="Print every table and reason."),
    click.option(
        "--format",
        "output",
        default="text",
        show_default=True,
        type=click.Choice(FORMATS),
        help="How to write the answer.",
    ),
    click.option("--json", "is_json", is_flag=True, help="The same as --format json."),
    click.option(
        "--require",
        multiple=True,
        metavar="GUARANTEE[:FAULT]",
        callback=lambda context, parameter, values: [parse_required(v) for v in values],
        help="Leave with 1 (refuted) or 2 (undecided, vacuous or disputed) unless this guarantee "
        "holds, under this fault class or under all; may be repeated.",
    ),
    click.option(
        "--timelines",
        type=click.IntRange(0, 99),
        help="How many failure timelines to draw per group; implies --all. Default: 2.",
    ),
    CHANGES_OPTION,
    SLAVES_OPTION,
    click.option(
        "--recheck", "is_recheck", is_flag=True, help="Prove again what was proved before."
    ),
)


def repeat_words(
    paths: Sequence[str], version: Version, changes: Sequence[Change], slaves: int | None
) -> tuple[str, ...]:
    """The words that ask another verb about the same groups."""
    words = list(paths)
    if version.name != Version().name:
        words += ["--rocketmq-version", version.name]
    for change in changes:
        words += ["--what-if", str(change)]
    return (*words, "--slaves", str(slaves)) if slaves is not None else tuple(words)


def add_check_options(function: Function) -> Function:
    """Decorator: the verb takes all of these."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def assume_all(deployments: tuple[Deployment, ...], slaves: int | None) -> tuple[Deployment, ...]:
    """The deployments with so many slaves in each group of which no slave's file is given."""
    if not slaves:
        return deployments
    return tuple(
        Deployment(d.name, tuple(g if g.slaves else assume_slaves(g, slaves) for g in d.groups))
        for d in deployments
    )


def change_all(
    deployments: tuple[Deployment, ...], changes: list[Change]
) -> tuple[Deployment, ...]:
    """The deployments with other settings.

    Raises ConfigurationError where slaves are to be changed and there are none.
    """
    has_slaves = any(group.slaves for deployment in deployments for group in deployment.groups)
    if not has_slaves and any(change.is_of_slaves for change in changes):
        raise ConfigurationError("--what-if slave.KEY=VALUE: no group has a slave; see --slaves")
    return tuple(change_deployment(deployment, changes) for deployment in deployments)


def change_deployment(deployment: Deployment, changes: list[Change]) -> Deployment:
    """The deployment as it would be with other settings of its masters or slaves."""
    groups = deployment.groups
    for each in changes:
        change = change_slaves if each.is_of_slaves else change_master
        groups = tuple(change_group(change, group, each) for group in groups)
    asked = "".join(f", what if {change}" for change in changes)
    return Deployment(deployment.name + asked, groups)


def change_group(
    change: Callable[[BrokerGroup, str, str], BrokerGroup], group: BrokerGroup, each: Change
) -> BrokerGroup:
    """The group with another value of a key."""
    return change(group, each.key, each.value)

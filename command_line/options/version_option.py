"""The option that names a release; it needs neither worlds nor claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from reference.releases.releases import CONTROLLER, QUORUM
from reference.releases.versions import Version, VersionError, parse_version

Function = TypeVar("Function", bound=Callable[..., Any])

HELP = (
    "The release whose rules are taken, for example 4.9.8; in 5.x also with "
    f"-{QUORUM} (inSyncReplicas=2) or -{CONTROLLER} (enableControllerMode)."
)


def parse(context: click.Context, parameter: click.Parameter, value: str | None) -> Version | None:
    """The version of this name; None where none is asked for."""
    try:
        return None if value is None else parse_version(value)
    except VersionError as problem:
        raise click.BadParameter(str(problem), context, parameter) from problem


def add_version_option(*, default: str | None = Version().name) -> Callable[[Function], Function]:
    """Decorator: the verb takes a ``version``; without a default None where none is asked for."""
    return click.option(
        "--rocketmq-version",
        "version",
        metavar="RELEASE",
        default=default,
        show_default=default is not None,
        callback=parse,
        help=HELP,
    )

"""The options of ``rmqspec fuzz``: faults, structure, Spark master, campaign to resume."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click
from click.core import ParameterSource

from command_line.options.shared_options import apply_release
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.language.parameters import BaseFaults
from reference.releases.versions import Version
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SLAVES_MAX
from spark_fuzz.campaign.schedule import get_default_limits
from spark_fuzz.campaign.store import CampaignError, Manifest, read_manifest

Function = TypeVar("Function", bound=Callable[..., Any])

GROUP_OPTIONS = (
    click.option(
        "--role",
        default="SYNC_MASTER",
        show_default=True,
        type=click.Choice(["ASYNC_MASTER", "SYNC_MASTER"]),
        help="brokerRole of the master, where no structure is named.",
    ),
    click.option(
        "--flush",
        default="ASYNC_FLUSH",
        show_default=True,
        type=click.Choice([f.name for f in FlushDiskType]),
        help="flushDiskType of all brokers, where no structure is named.",
    ),
    click.option(
        "--slaves",
        default=1,
        show_default=True,
        type=click.IntRange(0, SLAVES_MAX),
        help="How many slaves, where no structure is named.",
    ),
)
"""The group of replication if no structure is named."""


def add_group_options(function: Function) -> Function:
    """Decorator: the verb takes ``role``, ``flush`` and ``slaves``."""
    for option in reversed(GROUP_OPTIONS):
        function = option(function)
    return function


def get_fault_names(structure: ClaimedStructure) -> tuple[str, ...]:
    """The faults of a structure's world, in the order of an identifier's limits."""
    return tuple(attrs.fields_dict(structure.world.everything.counts))


def parse_limits(structure: ClaimedStructure, value: str) -> Any:
    """Pairs NAME=COUNT, separated by commas; or ``default``, or ``none``."""
    if value == "default":
        return get_default_limits(structure)
    known = get_fault_names(structure)
    counts: dict[str, int] = {}
    for pair in value.split(",") if value != "none" else ():
        name, _, count = (part.strip() for part in pair.partition("="))
        if name not in known or not re.fullmatch(r"[0-9]{1,4}", count):
            example = ",".join(f"{fault}=1" for fault in known[:2])
            message = f"give NAME=COUNT pairs such as {example}; see --help"
            raise click.BadParameter(message, param_hint="--limits")
        counts[name] = int(count)
    return structure.world.everything.counts(**counts)


def choose_structure(name: str | None, role: str, flush: str, slaves: int, version: Version) -> Any:
    """The structure of this name; without one the group of replication that the rest describes.

    Raises click.BadParameter for a release of a world that has none.
    """
    if name is None:
        return version.apply(ClaimedGroup(Role[role], FlushDiskType[flush], slaves))
    return apply_release(STRUCTURES[name], version)


def get_typed_options(context: click.Context) -> dict[str, Any]:
    """The typed options, except those that every resumed campaign may have."""
    return {
        name: value
        for name, value in context.params.items()
        if name not in ("resume", "master", "is_classed")
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def read_resumed(folder: Path, typed: Mapping[str, Any]) -> Manifest:
    """The manifest of a campaign to be continued; ``typed`` are the options that were typed.

    Raises CampaignError for a folder that is no campaign, and for options that are not the
    campaign's own.
    """
    manifest = read_manifest(folder)
    actual = describe_options(manifest)
    for option, value in typed.items():
        given = parse_limits(manifest.options.structure, value) if option == "limits" else value
        given = given.variants if option == "version" else given
        if actual.get(option) != given:
            typed_words = " ".join(name_option(option, value))
            raise CampaignError(
                f"{typed_words} contradicts {folder}, which has everything but "
                "--master in its manifest; leave it out, or begin a new campaign without --resume"
            )
    return manifest


def name_option(name: str, value: Any) -> list[str]:
    """An option as it is typed, word by word."""
    if name == "version":
        return ["--rocketmq-version", value.name]
    if name == "is_swarm":
        return ["--swarm" if value else "--alike"]
    return [f"--{name.replace('_', '-')}", str(value)]


def describe_options(manifest: Manifest) -> dict[str, Any]:
    """The options of a campaign by their names on the command line."""
    options, structure = manifest.options, manifest.options.structure
    group = structure if isinstance(structure, ClaimedGroup) else None
    return {
        "schedules": manifest.schedules,
        "seed": options.campaign_seed,
        "steps": options.steps,
        "healing_steps": options.healing_steps,
        "scheduler": options.scheduler,
        "guided_rounds": manifest.guided_rounds,
        "is_swarm": options.is_swarm,
        "limits": options.limits,
        "structure": structure.name,
        "role": group.role.name if group else "",
        "flush": group.flush_disk_type.name if group else "",
        "slaves": group.slaves if group else -1,
        "version": structure.variants,
    }


def format_command(manifest: Manifest) -> str:
    """The command that repeats a campaign; the structure's name says role, flush and slaves."""
    described = describe_options(manifest)
    words = ["rmqspec", "fuzz"]
    for name, value in described.items():
        if name not in ("role", "flush", "slaves", "version"):
            words += name_option(name, format_limits(value) if name == "limits" else value)
    return shlex.join(words)


def format_limits(limits: BaseFaults) -> str:
    """The limits as ``parse_limits`` takes them."""
    pairs = [f"{name}={count}" for name, count in attrs.asdict(limits).items() if count]
    return ",".join(pairs) or "none"

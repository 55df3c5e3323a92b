"""The options of ``check`` alone: what is required, and in which format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from properties.worlds.catalogue import Tag, list_tagged

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "sarif", "junit", "html")
"""How an answer may be written."""


def parse_required(text: str) -> tuple[str, str]:
    """A guarantee and a fault model, which is empty for all of them."""
    # All claims take longer to import than a remembered answer takes to print.
    from command_line.options.shared_options import CLAIM, describe_unknown  # noqa: PLC0415
    from properties.worlds.catalogue import CLAIM_NAMES  # noqa: PLC0415

    guarantee, _, fault = text.partition(":")
    if guarantee not in CLAIM_NAMES:
        raise click.BadParameter(describe_unknown(guarantee, CLAIM_NAMES, CLAIM.what))
    structure = next(s for s in list_tagged(Tag.USUAL, Tag.SYSTEM) if guarantee in s.world.claims)
    names = [c.name for c in structure.world.fault_models]
    if fault and fault not in names:
        raise click.BadParameter(f"{fault!r} is none of {', '.join(names)}")
    return guarantee, fault


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
    click.option("--json", "is_json", is_flag=True, help="Short for --format json."),
    click.option(
        "--require",
        multiple=True,
        metavar="GUARANTEE[:FAULT]",
        callback=lambda context, parameter, values: [parse_required(v) for v in values],
        help="Leave with 1 (refuted) or 2 (undecided, vacuous or disputed) unless this guarantee "
        "holds, under this fault model or under all; may be repeated.",
    ),
    click.option(
        "--strict",
        "is_strict",
        is_flag=True,
        help="Refuse files with a value that a broker would ignore. Without it there is a warning, "
        "and the answer is about what the broker runs with.",
    ),
    click.option(
        "--timelines",
        type=click.IntRange(0, 99),
        help="How many failure timelines to draw per group; implies --all. Default: 2.",
    ),
    click.option(
        "--recheck", "is_recheck", is_flag=True, help="Prove again what was proved before."
    ),
)


def add_check_options(function: Function) -> Function:
    """Decorator: the verb takes all of these."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function

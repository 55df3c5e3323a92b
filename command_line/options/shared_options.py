"""Options that several verbs share: names out of many, and Spark's master.

``--structure`` and ``--fault`` are the same for every verb. The option that names Spark's master
needs no Spark.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from properties.fault_model import FaultModel
from properties.scenarios.summary.rows import CODE
from properties.worlds import (
    CLAIM_NAMES,
    FAULT_MODEL_NAMES,
    KNOWN_STRUCTURES,
    PROVED_STRUCTURES,
    find_world,
)
from properties.worlds.replication.structures import STOCK_PAIR
from reference.releases.versions import find_version
from reference.worlds.replication.changes import VARIANTS

Function = TypeVar("Function", bound=Callable[..., Any])

USUAL = STOCK_PAIR.name
"""The structure that a verb takes where none is named."""

NEAREST = 3
"""How many names the refusal of an unknown one tells."""


def describe_unknown(value: str, known: Iterable[str], what: str) -> str:
    """Why a name is refused: ``'delay' is no structure; nearest are ...``."""
    nearest = difflib.get_close_matches(value, list(known), NEAREST, cutoff=0.0)
    return f"{value!r} is no {what}; nearest are {', '.join(nearest)}"


class KnownName(click.ParamType[str]):
    """A name out of more than a line can list; another one is refused with the nearest."""

    name = "name"

    def __init__(self, known: Collection[str], what: str) -> None:
        self.known, self.what = known, what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself. Raises click.BadParameter for an unknown one."""
        if value not in self.known:
            self.fail(describe_unknown(str(value), self.known, self.what), param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


CLAIM = KnownName(CLAIM_NAMES, "guarantee and no claim of convergence")


class ClaimOrCode(KnownName):
    """A claim, or the code of a failure."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The claim or the code itself. Raises click.BadParameter for what is neither."""
        return str(value) if CODE.fullmatch(str(value)) else super().convert(value, param, ctx)


CLAIM_OR_CODE = ClaimOrCode(CLAIM_NAMES, CLAIM.what)
FAULT = KnownName(FAULT_MODEL_NAMES, "fault class")
VARIANT = KnownName(list(VARIANTS), "variant")

RELEASES_TOLD = "of another release for example 'SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3'"


def add_structure_option(
    target: str = "name", *, default: str | None = USUAL
) -> Callable[[Function], Function]:
    """Decorator: the verb takes one structure of any release, by its name in ``target``."""
    return click.option(
        "--structure",
        target,
        type=KnownName(KNOWN_STRUCTURES, "structure"),
        metavar="NAME",
        default=default,
        show_default=default is not None,
        help=f"A structure, as `rmqspec prove` lists them; {RELEASES_TOLD}.",
    )


def add_structures_option(*, is_of_any_release: bool = False) -> Callable[[Function], Function]:
    """Decorator: the verb takes any number of structures in ``names``; none stands for its usual.

    Where names of any release are taken, the verb refuses those that it does not have.
    """
    releases = f"; {RELEASES_TOLD}" if is_of_any_release else ""
    return click.option(
        "--structure",
        "names",
        multiple=True,
        type=KnownName(KNOWN_STRUCTURES if is_of_any_release else PROVED_STRUCTURES, "structure"),
        metavar="NAME",
        help=f"Only this structure, as `rmqspec prove` lists them{releases}; may be repeated.",
    )


def add_fault_option(*, default: str) -> Callable[[Function], Function]:
    """Decorator: the verb takes one fault class, in ``fault``."""
    return click.option(
        "--fault",
        type=FAULT,
        metavar="FAULT",
        default=default,
        show_default=True,
        help="A fault class: which faults may strike; a column of the tables of `rmqspec check`.",
    )


def add_faults_option() -> Callable[[Function], Function]:
    """Decorator: the verb takes any number of fault classes in ``faults``; none stands for all."""
    return click.option(
        "--fault",
        "faults",
        multiple=True,
        type=FAULT,
        metavar="FAULT",
        help="Only this fault class, a column of the tables of `rmqspec check`; may be repeated.",
    )


def find_column(structure: Any, fault: str, hint: str = "--fault") -> FaultModel:
    """A fault class of a structure. Raises click.BadParameter where its world has none such."""
    columns = {c.name: c for c in find_world(structure).fault_models}
    if fault not in columns:
        message = f"{structure.name} has no column {fault!r}; it has {', '.join(columns)}"
        raise click.BadParameter(message, param_hint=hint)
    return columns[fault]


def describe_model(structure: Any) -> str:
    """How an output about a structure begins: of which release, and which structure."""
    return f"Model of RocketMQ {find_version(structure.variants).name}: {structure.name}"


MASTERS = re.compile(r"local(\[[0-9*, ]+\])?|local-cluster\[.+\]|(spark|k8s|yarn)(://.+)?")


def parse_master(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """A master URL of a form that Spark knows."""
    if not MASTERS.fullmatch(value):
        raise click.BadParameter("give local[N] or spark://HOST:PORT", ctx, parameter)
    return value

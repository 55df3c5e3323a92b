"""Options that several verbs share: names out of many, and Spark's master.

``--structure`` and ``--fault`` take the same names in every verb. A verb that lacks one says so.
The option for Spark's master needs no Spark.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.scenarios.summary.rows import CODE
from properties.worlds.catalogue import CLAIM_NAMES, FAULT_MODEL_NAMES, STRUCTURES
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.versions import Version, find_version
from reference.worlds.replication.changes import VARIANTS

Function = TypeVar("Function", bound=Callable[..., Any])

USUAL = STOCK_PAIR.name
"""The structure that a verb takes if none is named."""

NEAREST = 3
"""How many names an error about an unknown one suggests."""


def describe_unknown(value: str, known: Iterable[str], what: str) -> str:
    """Why a name is refused: ``'delay' is no structure; nearest are ...``, in whatever case."""
    names = {name.lower(): name for name in known}
    nearest = difflib.get_close_matches(value.lower(), list(names), NEAREST, cutoff=0.0)
    return f"{value!r} is no {what}; nearest are {', '.join(names[n] for n in nearest)}"


class KnownName(click.ParamType[str]):
    """A name out of more than a line can list; an error about another one suggests the nearest."""

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
        """The claim, or the code in capital letters. Raises click.BadParameter for neither."""
        text = str(value)
        if CODE.fullmatch(text.upper()):
            return text.upper()
        if text not in self.known and ("/" in text or Path(text).exists()):
            told = f"{text!r} is a file or folder; the code comes first, as in `explain L12 {text}`"
            self.fail(told, param, ctx)
        return super().convert(value, param, ctx)


CLAIM_OR_CODE = ClaimOrCode(CLAIM_NAMES, CLAIM.what)
FAULT = KnownName(FAULT_MODEL_NAMES, "fault model")
VARIANT = KnownName(list(VARIANTS), "variant")

STRUCTURE = KnownName(STRUCTURES, "structure")

STRUCTURE_HELP = (
    "structure, as `rmqspec prove` lists them; of another release for example "
    "'SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3'"
)


def add_structure_option(
    target: str = "name", *, default: str | None = USUAL
) -> Callable[[Function], Function]:
    """Decorator: the verb takes one structure of any release, by its name in ``target``."""
    return click.option(
        "--structure",
        target,
        type=STRUCTURE,
        metavar="NAME",
        default=default,
        show_default=default is not None,
        help=f"A {STRUCTURE_HELP}.",
    )


def add_structures_option() -> Callable[[Function], Function]:
    """Decorator: the verb takes any number of structures in ``names``; none stands for its usual.

    The verb refuses those that it lacks: see ``find_structures``.
    """
    return click.option(
        "--structure",
        "names",
        multiple=True,
        type=STRUCTURE,
        metavar="NAME",
        help=f"Only this {STRUCTURE_HELP}; may be repeated.",
    )


def find_structures(names: Iterable[str], known: Mapping[str, Any], what: str) -> list[Any]:
    """Structures by their names, all that a verb has if none is named.

    ``what`` is what the verb has, as an error calls it. Raises click.BadParameter for another one.
    """
    for name in names:
        if name not in known:
            message = describe_unknown(name, known, what)
            raise click.BadParameter(message, param_hint="--structure")
    return [known[name] for name in names or known]


def apply_release(structure: ClaimedStructure, version: Version) -> Any:
    """A structure under the rules of a release.

    Raises click.BadParameter if the structure's world has no such rules, or if its name has a
    release already.
    """
    if not version.variants or structure.variants == version.variants:
        return structure
    if not isinstance(structure, ClaimedGroup) or structure.variants:
        raise click.BadParameter(
            f"{structure.name!r} cannot have the rules of {version.name}",
            param_hint="--rocketmq-version",
        )
    return version.apply(structure)


def add_fault_option(*, default: str) -> Callable[[Function], Function]:
    """Decorator: the verb takes one fault model, in ``fault``."""
    return click.option(
        "--fault",
        type=FAULT,
        metavar="FAULT",
        default=default,
        show_default=True,
        help="A fault model: which faults may happen; a column of `rmqspec check --all`.",
    )


def add_faults_option() -> Callable[[Function], Function]:
    """Decorator: the verb takes any number of fault models in ``faults``; none stands for all."""
    return click.option(
        "--fault",
        "faults",
        multiple=True,
        type=FAULT,
        metavar="FAULT",
        help="Only this fault model, a column of `rmqspec check --all`; may be repeated.",
    )


def find_fault_model(structure: ClaimedStructure, fault: str, hint: str = "--fault") -> FaultModel:
    """A fault model of a structure. Raises click.BadParameter if its world has none such."""
    found = {each.name: each for each in structure.world.fault_models}
    if fault not in found:
        message = f"{structure.name} has no fault model {fault!r}; it has {', '.join(found)}"
        raise click.BadParameter(message, param_hint=hint)
    return found[fault]


def describe_model(structure: ClaimedStructure) -> str:
    """The head of an output about a structure: release and structure."""
    return f"Model of RocketMQ {find_version(structure.variants).name}: {structure.name}"


MASTERS = re.compile(r"local(\[[0-9*, ]+\])?|local-cluster\[.+\]|(spark|k8s|yarn)(://.+)?")


def parse_master(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A master URL of a form that Spark knows, or none."""
    if value and not MASTERS.fullmatch(value):
        raise click.BadParameter("give local[N] or spark://HOST:PORT", ctx, parameter)
    return value

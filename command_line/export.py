"""``rmqspec export``: files by which others check their own work, or ours."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from os.path import relpath
from pathlib import Path
from typing import Any

import attrs
import click

from book.explorer.page import FILE as EXPLORER_FILE
from book.explorer.page import write_explorer
from command_line.options.shared_options import (
    add_fault_option,
    add_structure_option,
    add_structures_option,
    find_fault_model,
    find_structures,
)
from command_line.output import exit_codes
from command_line.output.checkout import check_is_checkout
from command_line.output.new_files import NEW_FILE, OUT, check_new, tell_problem
from command_line.output.progress import ProgressLine, show_progress
from properties.checkout import IS_CHECKOUT, ROOT, name_page
from properties.exports.instances import SmallInstance
from properties.exports.itf import (
    Exported,
    list_certified,
    list_counterexamples,
    list_issue_traces,
    write_traces,
)
from properties.exports.promela import PromelaModel
from properties.exports.smt_lib import write_smt_lib
from properties.exports.tla import write_module
from properties.language.fault_model import SEARCHED
from properties.language.world import ClaimedStructure
from properties.vectors.archive import write_archive
from properties.vectors.schedules import write_vectors
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from reference.language.leaves import compute_leaf_sorts, is_parameter
from reference.language.operator_table import Sort


@click.group(name="export")
def command() -> None:
    """Write scenarios, traces, proofs and models for other programs."""


PROMELA_EPILOG = f"""\b
Examples:
  rmqspec export promela --out pair.pml --fault "slave wiped"
  rmqspec export promela --out consumer.pml --fault "consumer kill" \\
      --structure "reading/open slow/no offset check/last" --size ghost_queue_size_max=2
  rmqspec export promela --out tiny.pml --times 1 --size mapped_file_size_bytes=2 \\
      --size message_size_max_bytes=1 --size ghost_log_size_max_bytes=4

\b
{name_page("spin.md")} describes what SPIN does with the model:
  spin -a -o2 tiny.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E -n -m1000000

Exit codes: 0 written, 3 bad input (the file exists, no such size).
"""

TLA_EPILOG = f"""\b
Examples:
  rmqspec export tla --out pair --fault "master power loss"
  rmqspec export tla --out later --structure "SYNC_MASTER/ASYNC_FLUSH/2 slaves at 4.9.3"
  rmqspec export tla --out tiny --times 1 --size mapped_file_size_bytes=2 \\
      --size message_size_max_bytes=1 --size ghost_log_size_max_bytes=4

\b
The folder gets the module and its configuration; {name_page("tla.md")} explains them:
  java -cp tla2tools.jar tlc2.TLC -config Replication.cfg Replication.tla

Exit codes: 0 written, 3 bad input (the folder exists, no such size).
"""

TIMES = click.option(
    "--times",
    default=SEARCHED,
    show_default=True,
    type=click.IntRange(0, 100),
    help="How often each of them may happen.",
)
SIZES = click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Another size than the usual small one, in bytes or entries, from 1 to 99; may be "
    "repeated.",
)


def instance_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options that say which small instance: ``name``, ``fault``, ``times``, ``sizes``."""
    for option in (SIZES, TIMES, add_fault_option(default="none"), add_structure_option()):
        function = option(function)
    return function


@command.command(name="tla", epilog=TLA_EPILOG)
@OUT
@instance_options
def tla(out: Path, name: str, fault: str, times: int, sizes: tuple[str, ...]) -> int:
    """Write a structure as a TLA+ module, with a configuration for TLC."""
    check_new(out)
    structure = STRUCTURES[name]
    fault_model = attrs.evolve(find_fault_model(structure, fault), times=times)
    module = write_module(structure, fault_model, find_sizes(structure, sizes))
    with tell_problem(out):
        out.mkdir()
        (out / f"{module.name}.tla").write_text(module.text, encoding="utf-8")
        (out / f"{module.name}.cfg").write_text(module.configuration, encoding="utf-8")
    counts = f"{module.action_count} actions, {module.claim_count} claims"
    click.echo(f"{out / module.name}.tla: {len(module.text.splitlines())} lines, {counts}")
    click.echo(f"{out / module.name}.cfg: {fault}, small sizes")
    return exit_codes.ANALYSED


@command.command(name="promela", epilog=PROMELA_EPILOG)
@NEW_FILE
@instance_options
@click.option(
    "--highest",
    multiple=True,
    metavar="LEAF=NUMBER",
    help="A number of the state that counts no further, so that there is an end of all states; "
    "for pairs master.connection_count=2.",
)
def promela(  # noqa: PLR0913, PLR0917
    out: Path, name: str, fault: str, times: int, sizes: tuple[str, ...], highest: tuple[str, ...]
) -> int:
    """Write one small instance as a model for SPIN, whose states are those of the instance."""
    structure = STRUCTURES[name]
    fault_model = attrs.evolve(find_fault_model(structure, fault), times=times)
    leaves = [p for p, sort in compute_leaf_sorts(structure).items() if sort is Sort.INTEGER]
    changing = [p for p in leaves if not is_parameter(p)]
    limits = parse_numbers(highest, changing, "--highest")
    given = find_sizes(structure, sizes)
    return export_promela(SmallInstance(structure, fault_model, given, limits), out)


def find_sizes(structure: ClaimedStructure, sizes: Iterable[str]) -> Any:
    """The small sizes of a search, some of them others. Raises click.BadParameter."""
    small = structure.world.sizes.search
    known = [size for size, value in attrs.asdict(small).items() if isinstance(value, int)]
    return attrs.evolve(small, **parse_numbers(sizes, known, "--size"))


def parse_numbers(pairs: Iterable[str], known: Iterable[str], option: str) -> dict[str, int]:
    """Numbers by their names. Raises click.BadParameter for another name, or for no number."""
    numbers: dict[str, int] = {}
    names = list(known)
    for pair in pairs:
        name, _, number = pair.partition("=")
        if name not in names or not re.fullmatch(r"[1-9][0-9]?", number):
            message = f"{pair!r} is not NAME=NUMBER with a number from 1 to 99 and a NAME out of "
            raise click.BadParameter(message + ", ".join(names), param_hint=option)
        numbers[name] = int(number)
    return numbers


def export_promela(instance: SmallInstance, out: Path) -> int:
    """Write the model into a new file, and report its size."""
    model = PromelaModel(instance)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(model.write())
    except FileExistsError as problem:
        raise click.BadParameter(f"{out} exists; choose another --out") from problem
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    options = sum(len(step.list_options()) for step in model.steps)
    click.echo(f"{out}: {len(model.steps)} instances of rules, {options} options")
    return exit_codes.ANALYSED


ITF_EPILOG = """\b
Examples:
  rmqspec export itf --out traces
  rmqspec export itf --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"
  rmqspec export itf --out issues --issues
  rmqspec replay issues/known_issues/slave_ahead_acknowledges.itf.json

All traces are about 3,000 files. index.json lists them with their fault models.

Exit codes: 0 written, 3 bad input (the folder exists).
"""


@command.command(name="itf", epilog=ITF_EPILOG)
@OUT
@add_structures_option()
@click.option("--issues", "is_issues_only", is_flag=True, help="Only the known issues.")
def itf(out: Path, names: tuple[str, ...], is_issues_only: bool) -> int:
    """Write every stored counterexample and known issue as an ITF trace, for `rmqspec replay`."""
    check_new(out)
    counts: Counter[str] = Counter()
    with tell_problem(out), show_progress() as progress:
        traces = list_traces(names, is_issues_only, progress)
        for each in write_traces(traces, out):
            counts[each.file.parent.name] += 1
    for folder, count in counts.items():
        click.echo(f"{out / folder}: {count} traces")
    return exit_codes.ANALYSED


def list_traces(
    names: tuple[str, ...], is_issues_only: bool, progress: ProgressLine
) -> Iterable[Exported]:
    """The traces that are asked for: of some structures, of the known issues, or all.

    Raises click.BadParameter for a structure without a certificate.
    """
    if is_issues_only and names:
        raise click.BadParameter("--issues has structures of its own; leave --structure out")
    asked: list[Any] = []
    if not is_issues_only:
        certified = {s.name: s for s in list_certified()}
        asked = find_structures(names, certified, "structure with counterexamples")
    issues = () if names else list_issue_traces()
    return chain(issues, list_all_counterexamples(asked, progress))


def list_all_counterexamples(
    structures: Sequence[Any], progress: ProgressLine
) -> Iterator[Exported]:
    """The counterexamples of structures, one after another, with progress."""
    for number, structure in enumerate(structures):
        progress.advance(number, len(structures), f"traces of {structure.name}")
        yield from list_counterexamples(structure)


EXPLORER_FOLDER = ROOT / ".rmqspec" / "explorer" if IS_CHECKOUT else Path("explorer")
"""Where the page is written if no folder is given."""
EXPLORER_SHOWN = f"{'.rmqspec/' if IS_CHECKOUT else ''}explorer/{EXPLORER_FILE}"

EXPLORER_EPILOG = f"""\b
Examples:
  rmqspec export explorer              # then open {EXPLORER_SHOWN}
  rmqspec export explorer --out page   # a folder of your own
  rmqspec export explorer --out page --book ../site

{name_page("explorer.md")} explains how to use it. `rmqspec docs` puts it into the site too.

Exit codes: 0 written, 3 bad input (the folder holds other things).
"""


@command.command(name="explorer", epilog=EXPLORER_EPILOG)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the page, new or of a former one. Default: .rmqspec/explorer beside spec/, "
    "in an installed copy the folder explorer.",
)
@click.option(
    "--book",
    metavar="PLACE",
    help="Where the pages of `rmqspec docs` are, seen from the folder: links lead there. Without "
    "it, to .rmqspec/site if that is built.",
)
def explorer(out: Path | None, book: str | None) -> int:
    """Write a page that runs the rules: click through schedules, see why a step is refused."""
    folder = out or EXPLORER_FOLDER
    if folder.exists() and any(path.name != EXPLORER_FILE for path in folder.iterdir()):
        raise click.BadParameter(f"{folder} holds other things than a page; choose another --out")
    site = ROOT / ".rmqspec" / "site"
    built = relpath(site, folder) if (site / EXPLORER_FILE).exists() else None
    with tell_problem(folder), show_progress() as progress:
        file = write_explorer(folder, book or built, progress)
    click.echo(f"{file}: {file.stat().st_size / 1e6:.2f} MB")
    return exit_codes.ANALYSED


VECTORS_EPILOG = f"""\b
Examples:
  rmqspec export vectors --product vectors.zip
  rmqspec export vectors --out schedules
  rmqspec export vectors --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"

\b
The product is one archive with every set and release, JSON Schemas, and drivers to begin with;
the folder has the schedules of all worlds with every leaf. {name_page("vectors.md")} explains both.

Exit codes: 0 written, 3 bad input (the file or folder exists), 4 not in a checkout.
"""

SMT_LIB_EPILOG = """\b
Examples:
  rmqspec export smt-lib --out proofs --structure "SYNC_MASTER/SYNC_FLUSH/1 slave"

\b
Every file must be answered unsat. A structure takes 5 to 40 MB.
  cvc5 proofs/sync_master-sync_flush-1_slaves/safety/none/acknowledged_is_held_twice.smt2

Exit codes: 0 written, 3 bad input (the folder exists).
"""


@command.command(name="vectors", epilog=VECTORS_EPILOG)
@click.option("--product", type=click.Path(path_type=Path), help="A new archive of all vectors.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A new folder for the schedules of structures."
)
@add_structures_option()
def vectors(product: Path | None, out: Path | None, names: tuple[str, ...]) -> int:
    """Write questions with expected answers: vectors that any implementation can run."""
    if (product is None) == (out is None):
        raise click.UsageError("choose --product FILE for the archive, or --out FOLDER")
    if out is not None:
        return export(write_vectors, "vectors", out, names)
    assert product is not None
    if names:
        raise click.BadParameter("--structure chooses schedules for --out; the product has all")
    return export_product(product)


def export_product(file: Path) -> int:
    """Write the archive of all vectors, and report its counts."""
    check_is_checkout("export vectors --product")
    check_new(file)
    with tell_problem(file), show_progress() as progress:
        archive = write_archive(file, progress)
    for release, entries in archive.manifest["releases"].items():
        counts = [
            f"{name} {archive.manifest['files'][entry['file']]['count']}"
            for name, entry in entries.items()
            if entry["file"]
        ]
        click.echo(f"{release}: {', '.join(counts)}")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    click.echo(f"{file}: {file.stat().st_size / 1e6:.2f} MB, SHA-256 {digest}")
    return exit_codes.ANALYSED


@command.command(name="smt-lib", epilog=SMT_LIB_EPILOG)
@OUT
@add_structures_option()
def smt_lib(out: Path, names: tuple[str, ...]) -> int:
    """Write every proof obligation as a file of its own, for another solver than Z3."""
    return export(write_smt_lib, "obligations", out, names)


def export(
    write: Callable[[Iterable[Any], Path], dict[str, int]],
    what: str,
    out: Path,
    names: tuple[str, ...],
) -> int:
    """Write these structures, or all, into a new folder, and report how much was written."""
    check_new(out)
    usual = {structure.name: structure for structure in list_tagged(Tag.USUAL)}
    structures = find_structures(names, usual, f"structure with {what}")
    with tell_problem(out), show_progress() as progress:
        progress(f"writing {what} of {len(structures)} structures")
        counts = write(structures, out)
    for name, count in counts.items():
        click.echo(f"{out / name}: {count} {what}")
    return exit_codes.ANALYSED

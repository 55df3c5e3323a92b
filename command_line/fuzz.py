"""``rmqspec fuzz``: millions of random failure schedules as one Spark job."""

from __future__ import annotations

import importlib.util
import re
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from command_line import exit_codes
from command_line.progress import ProgressLine, show_progress
from properties.expectation import find_expectation
from properties.subject import get_everything, get_fault_classes
from properties.verdict import VerdictWord
from properties.worlds import STRUCTURES, STRUCTURES_BY_WORLD
from reference import ROCKETMQ_VERSION
from reference.roles import FlushDiskType, Role
from reference.structure import SLAVES_MAX, Structure
from spark_fuzz.java import MissingPrerequisiteError, find_java
from spark_fuzz.schedule import (
    SCHEDULES_MAX,
    SEED_MAX,
    STEPS_MAX,
    CampaignOptions,
    get_default_limits,
)

if TYPE_CHECKING:
    from spark_fuzz.campaign import Progress


def get_fault_names(structure: Any) -> tuple[str, ...]:
    """What may strike in a structure's world, in the order of an identifier's limits."""
    return tuple(attrs.fields_dict(get_everything(structure).counts))


EPILOG = """\b
Examples:
  rmqspec fuzz                                  100,000 schedules of a synchronous pair
  rmqspec fuzz --schedules 10000000 --seed 7 --out campaigns/seven
  rmqspec fuzz --role ASYNC_MASTER --slaves 2 --limits link_cuts=4,master_kills=1
  rmqspec fuzz --structure "consumer/slave read/no offset check"
  rmqspec fuzz --limits none
  rmqspec fuzz --master spark://127.0.0.1:7077
\b
--limits: how often each fault may strike in one schedule; what is not named never strikes.
{faults}
""".format(
    faults="\n".join(
        "\n  ".join((f"Of {world}:", *get_fault_names(structures[0])))
        for world, structures in STRUCTURES_BY_WORLD.items()
    )
)


def parse_limits(structure: Any, value: str) -> Any:
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
    return get_everything(structure).counts(**counts)


def choose_structure(name: str | None, role: str, flush: str, slaves: int) -> Any:
    """The structure of this name; without one the group of replication that the rest describes."""
    if name is None:
        return Structure(Role[role], FlushDiskType[flush], slaves)
    if name not in STRUCTURES:
        known = "\n  ".join(STRUCTURES)
        raise click.BadParameter(f"{name!r} is none of\n  {known}", param_hint="--structure")
    return STRUCTURES[name]


MASTERS = re.compile(r"local(\[[0-9*, ]+\])?|local-cluster\[.+\]|(spark|k8s|yarn)(://.+)?")


def parse_master(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """A master URL of a form that Spark knows."""
    if not MASTERS.fullmatch(value):
        raise click.BadParameter("give local[N] or spark://HOST:PORT", ctx, parameter)
    return value


@click.command(name="fuzz", epilog=EPILOG)
@click.option(
    "--schedules", default=100_000, show_default=True, type=click.IntRange(1, SCHEDULES_MAX)
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, SEED_MAX - 1))
@click.option("--steps", default=64, show_default=True, type=click.IntRange(1, STEPS_MAX))
@click.option(
    "--structure",
    "name",
    metavar="NAME",
    help="Any structure of `rmqspec prove`, instead of --role, --flush and --slaves.",
)
@click.option("--role", default="SYNC_MASTER", type=click.Choice(["ASYNC_MASTER", "SYNC_MASTER"]))
@click.option("--flush", default="ASYNC_FLUSH", type=click.Choice([f.name for f in FlushDiskType]))
@click.option("--slaves", default=1, show_default=True, type=click.IntRange(0, SLAVES_MAX))
@click.option("--limits", default="default", help="Every fault twice.")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder for the rows.")
@click.option(
    "--master",
    default="local[*]",
    show_default=True,
    callback=parse_master,
    help="Spark master URL; workers need this environment at the same path, and --out shared.",
)
def command(  # noqa: PLR0913, PLR0917
    schedules: int,
    seed: int,
    steps: int,
    name: str | None,
    role: str,
    flush: str,
    slaves: int,
    limits: str,
    out: Path | None,
    master: str,
) -> int:
    """Hunt for violated guarantees with random failure schedules."""
    structure = choose_structure(name, role, flush, slaves)
    options = CampaignOptions(structure, parse_limits(structure, limits), steps, seed)
    find_java()
    folder = out or Path("campaigns") / f"{time.strftime('%Y%m%d-%H%M%S')}-seed{seed}"
    if folder.exists():
        raise click.BadParameter(f"{folder} exists and is left as it is; choose another --out")
    make_parent(folder)
    print_options(options, schedules, folder)
    summary = run(options, schedules, folder, master)
    print_summary(summary, options)
    return find_broken_promise(summary, options)


def make_parent(folder: Path) -> None:
    """Make sure that the folder can be made before hours are spent. Raises click.BadParameter."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent):
            pass
    except OSError as problem:
        raise click.BadParameter(f"{folder} cannot be made: {problem.strerror}") from problem


def run(options: CampaignOptions, schedules: int, folder: Path, master: str) -> dict[str, Any]:
    """The campaign, with progress; its summary."""
    if importlib.util.find_spec("pyspark") is None:
        raise MissingPrerequisiteError(
            "this environment has no PySpark; start campaigns with ./rmqspec, which installs it"
        )
    from spark_fuzz.campaign import summarise, write_campaign  # noqa: PLC0415
    from spark_fuzz.session import open_session  # noqa: PLC0415

    # A closed socket is an error to handle here, not the end of the process.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with show_progress() as line, open_session(master) as spark:
        line("compiling")
        manifest = write_campaign(
            spark, options, schedules, folder, lambda p: tell(line, p, schedules)
        )
        line("summarising")
        summary = summarise(spark, folder)
    return {**summary, "seconds": manifest["seconds"]}


def tell(line: ProgressLine, progress: Progress, schedules: int) -> None:
    """One line: share done, rate, time left."""
    share = progress.done / progress.total
    rate = schedules * share / progress.seconds
    left = f"{progress.seconds / share - progress.seconds:.0f} s left" if share else "starting"
    line(f"{share:6.1%} of {schedules} schedules, {rate:,.0f}/s, {left}")


def print_options(options: CampaignOptions, schedules: int, folder: Path) -> None:
    """What is about to run; enough to run it again."""
    click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}: {options.structure.name}.")
    click.echo(
        f"{schedules} schedules of up to {options.steps} steps, seed {options.campaign_seed}, "
        f"fault limits {options.limits_code}, into {folder}"
    )


def print_summary(summary: dict[str, Any], options: CampaignOptions) -> None:
    """Counts, and per violated guarantee the command that replays its shortest schedule."""
    rate = summary["steps"] / summary["seconds"]
    click.echo(
        f"{summary['schedules']} schedules, {summary['steps']} steps in {summary['seconds']:.1f} s "
        f"({rate:,.0f} steps/s with Spark's overhead), every state judged."
    )
    for name, found in summary["violations"].items():
        identifier = options.format_identifier(found["shortest_schedule"])
        click.echo(
            f"  {name}: refuted by {found['schedules']} schedules, first after "
            f"{found['shortest_steps']} steps: rmqspec replay {identifier} --guarantee {name}"
        )
    if not summary["violations"]:
        click.echo("  no guarantee was refuted; random schedules prove nothing")
    click.echo(f"  {len(summary['rules_used'])} rule instances fired")


def find_broken_promise(summary: dict[str, Any], options: CampaignOptions) -> int:
    """1 when a guarantee is violated that is proved for these faults, else 0."""
    admitted = {name for name, count in attrs.asdict(options.limits).items() if count > 0}
    for fault_class in get_fault_classes(options.structure):
        if not admitted <= set(fault_class.admitted):
            continue
        for name in summary["violations"]:
            expected = find_expectation(name, options.structure, fault_class.name)
            if expected.verdict is VerdictWord.PROVED:
                click.echo(f"{name} is proved under {fault_class.name}, yet violated", err=True)
                return exit_codes.REFUTED
    return exit_codes.ANALYSED

"""``rmqspec fuzz``: millions of random failure schedules as one Spark job."""

from __future__ import annotations

import importlib.util
import shlex
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click
from attrs import frozen

from command_line.answers.fuzz_findings import (
    find_classes,
    find_known,
    print_classes,
    print_known,
    write_report,
)
from command_line.options.fuzz_options import (
    add_group_options,
    choose_structure,
    get_fault_names,
    get_typed_options,
    parse_limits,
    read_resumed,
)
from command_line.options.shared_options import (
    add_structure_option,
    describe_model,
    parse_master,
)
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.interruption import say_when_interrupted
from command_line.output.progress import show_progress
from properties.checkout import FULL_ENVIRONMENT, name_page
from properties.generated_text import count_steps
from properties.verdicts.fault_sets.admitted_faults import (
    are_proofs_current,
    find_tabled_verdict,
    say_outdated,
)
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import WORLD_BY_TOPIC
from reference.releases.versions import Version
from spark_fuzz.campaign.java import MissingPrerequisiteError, find_java
from spark_fuzz.campaign.schedule import SCHEDULES_MAX, SEED_MAX, STEPS_MAX, CampaignOptions
from spark_fuzz.campaign.store import (
    ROUNDS_MAX,
    Manifest,
    check_is_new,
    create_campaign,
    find_missing_units,
    plan_campaign,
)
from spark_fuzz.kernel.ancestry import parse_lineage
from spark_fuzz.kernel.scheduler import SCHEDULERS
from spark_fuzz.report.class_files import ViolationClass, read_classes
from spark_fuzz.report.report_summary import REPORT_FILE

if TYPE_CHECKING:
    from spark_fuzz.campaign.progress import Progress
    from spark_fuzz.report.known_failures import KnownFailure

LOCAL = "local[*]"
"""Spark's master if none is named: every core of this machine."""

EPILOG = """\b
Examples:
  rmqspec fuzz                                  # 100,000 schedules of a synchronous pair
  rmqspec fuzz --schedules 1000000 --seed 8 --out campaigns/eight
  rmqspec fuzz --role ASYNC_MASTER --slaves 2 --limits link_cuts=4,master_kills=1
  rmqspec fuzz --structure "reading/open slow/no offset check/last"
  rmqspec fuzz --rocketmq-version 4.9.8         # the rules of another release
  rmqspec fuzz --limits none
  rmqspec fuzz --swarm --classes                # each schedule in an environment of its own
  rmqspec fuzz --master spark://127.0.0.1:7077
  rmqspec fuzz --resume campaigns/seven         # what was interrupted

After Ctrl-C, a kill or a failure, --resume computes what is missing. The rows are those of an
uninterrupted campaign. The first campaign of a structure compiles its kernel, some 4 s.

Exit codes: 0 analysed, 1 a guarantee is violated that is proved for these faults, 3 bad input, 4 no
Java or no C compiler, 130 interrupted.

\b
--limits: how often each fault may happen in one schedule; others never happen.
{faults}
""".format(
    faults="\n".join(
        "\n  ".join((f"Of {topic}:", *get_fault_names(world.structures[0])))
        for topic, world in WORLD_BY_TOPIC.items()
    )
)


@click.command(name="fuzz", epilog=EPILOG)
@click.option(
    "--schedules",
    default=100_000,
    show_default=True,
    type=click.IntRange(1, SCHEDULES_MAX),
    help="How many schedules; each is a function of seed and number.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0, SEED_MAX - 1),
    help="Another seed gives other schedules.",
)
@click.option(
    "--steps",
    default=64,
    show_default=True,
    type=click.IntRange(1, STEPS_MAX),
    help="Steps of a schedule in which faults may happen.",
)
@click.option(
    "--healing-steps",
    default=256,
    show_default=True,
    type=click.IntRange(0, STEPS_MAX),
    help="At most so many steps follow without faults; what is stuck then is reported.",
)
@click.option(
    "--scheduler",
    default=SCHEDULERS[0],
    show_default=True,
    type=click.Choice(SCHEDULERS),
    help="Choose steps by weight, or by priorities that change at a few steps (pct).",
)
@click.option(
    "--guided-rounds",
    default=0,
    show_default=True,
    type=click.IntRange(0, ROUNDS_MAX),
    help="Rounds of as many schedules again, from states that few schedules reached.",
)
@add_structure_option("structure", default=None)
@add_group_options
@add_version_option()
@click.option(
    "--limits",
    default="default",
    metavar="NAME=COUNT,...",
    help="How often each fault may happen in one schedule, or none. Default: twice each.",
)
@click.option(
    "--swarm/--alike",
    "is_swarm",
    default=False,
    show_default=True,
    help="Each schedule draws its own fault limits, weights of rules and sizes, or all are alike.",
)
@click.option(
    "--classes",
    "is_classed",
    is_flag=True,
    help="Shorten violations and write each class with its story, a trace and a test; with "
    "--resume also of a finished campaign.",
)
@click.option("--out", type=click.Path(path_type=Path), help="A new folder for the rows.")
@click.option(
    "--master",
    default=LOCAL,
    show_default=True,
    callback=parse_master,
    help=f"Spark master URL; {name_page('campaigns.md')} says what workers need.",
)
@click.option(
    "--resume",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Continue this campaign; all options but --master come from it.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    out: Path | None,
    resume: Path | None,
    master: str,
    is_classed: bool,
    **wanted: Any,
) -> int:
    """Search for violated guarantees with random failure schedules."""
    if resume:
        folder, manifest = resume, read_resumed(resume, get_typed_options(context))
    else:
        manifest = plan(**wanted)
        folder = out or Path("campaigns") / f"{time.strftime('%Y%m%d-%H%M%S')}-seed{wanted['seed']}"
        check_is_new(folder)
        make_parent(folder)
    find_java()
    again = [*(["--master", master] * (master != LOCAL)), *(["--classes"] * is_classed)]
    say_when_interrupted(lambda: describe_interruption(manifest, folder, again))
    print_manifest(manifest, folder, is_new=not resume)
    findings = run(manifest, folder, master, is_new=not resume, is_classed=is_classed)
    summary = findings.summary
    print_summary(summary, findings.progress, manifest.options)
    print_known(findings.known)
    if not are_proofs_current(manifest.options.structure):
        click.echo(f"  nothing is compared with proofs: {say_outdated(manifest.options.structure)}")
    if is_classed and findings.classes is not None:
        print_classes(findings.classes, folder)
    click.echo(f"  report: {folder / REPORT_FILE}")
    return report_broken_promises(summary, manifest.options)


def plan(  # noqa: PLR0913, PLR0917
    schedules: int,
    seed: int,
    steps: int,
    healing_steps: int,
    scheduler: str,
    guided_rounds: int,
    structure: str | None,
    role: str,
    flush: str,
    slaves: int,
    version: Version,
    limits: str,
    is_swarm: bool,
) -> Manifest:
    """The plan of a new campaign."""
    chosen = choose_structure(structure, role, flush, slaves, version)
    options = CampaignOptions(
        chosen,
        parse_limits(chosen, limits),
        steps,
        seed,
        is_swarm,
        scheduler,
        healing_steps if chosen.healing else 0,
    )
    return plan_campaign(options, schedules, guided_rounds)


def make_parent(folder: Path) -> None:
    """Make sure that the folder can be made before hours are spent. Raises click.BadParameter."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent):
            pass
    except OSError as problem:
        raise click.BadParameter(f"{folder} cannot be made: {problem.strerror}") from problem


@frozen
class CampaignResults:
    """The results of a campaign."""

    progress: Progress
    summary: dict[str, Any]
    known: list[KnownFailure]
    """The known ways to fail, met and missed."""
    classes: list[ViolationClass] | None
    """None if they were not requested."""


def run(
    manifest: Manifest, folder: Path, master: str, *, is_new: bool, is_classed: bool
) -> CampaignResults:
    """The campaign, with progress."""
    if importlib.util.find_spec("pyspark") is None:
        raise MissingPrerequisiteError(f"this environment has no PySpark; {FULL_ENVIRONMENT}")
    from spark_fuzz.campaign.job import resume_campaign  # noqa: PLC0415
    from spark_fuzz.campaign.session import open_session  # noqa: PLC0415
    from spark_fuzz.report.campaign_summary import (  # noqa: PLC0415
        summarise,
        summarise_coverage,
    )
    from spark_fuzz.report.fault_counts import counted_by_faults  # noqa: PLC0415

    with show_progress() as line, open_session(master) as spark:
        if is_new:
            create_campaign(folder, manifest)
        line("compiling")
        progress = resume_campaign(spark, folder, lambda p: line(describe_progress(p)))
        line("summarising")
        with counted_by_faults(spark, folder) as counted:
            summary = summarise(counted, folder)
            summary["coverage"] = summarise_coverage(spark, folder, manifest)
            known = find_known(counted, manifest.options)
            if is_classed:
                line("shortening violations")
                find_classes(counted, folder, manifest.options)
        classes = read_classes(folder)
        line("writing the report")
        write_report(folder, summary, known, classes)
        return CampaignResults(progress, summary, known, classes)


def describe_progress(progress: Progress) -> str:
    """One line: share done, rate, time left, what was found."""
    left = progress.seconds_left
    return (
        f"{progress.done / progress.total:6.1%} of {progress.total} schedules, "
        f"{progress.schedules_per_second:,.0f}/s, "
        f"{'starting' if left is None else f'{left:.0f} s left'}, "
        f"{len(progress.violations)} guarantees violated"
    )


def describe_interruption(manifest: Manifest, folder: Path, again: Sequence[str]) -> str:
    """The finished part after an interruption, and the command that continues with ``again``."""
    if not folder.exists():
        return "interrupted before the campaign began; the same command begins it again"
    done = manifest.units - len(find_missing_units(folder, manifest))
    command_words = shlex.join(["rmqspec", "fuzz", "--resume", str(folder), *again])
    return f"interrupted; {done} of {manifest.units} units are in place; continue: {command_words}"


def print_manifest(manifest: Manifest, folder: Path, is_new: bool) -> None:
    """What is about to run, in enough detail to run it again."""
    options = manifest.options
    click.echo(f"{describe_model(options.structure)}.")
    click.echo(
        f"{manifest.schedules_in_all} schedules of up to {options.steps} steps"
        f"{f' and {options.healing_steps} to heal' if options.healing_steps else ''}, "
        f"{describe_choices(manifest)}seed {options.campaign_seed}, "
        f"fault limits {options.limits_code}, into {folder}"
    )
    if not is_new:
        missing = len(find_missing_units(folder, manifest))
        state = f"{missing} of {manifest.units} units are missing" if missing else "complete"
        click.echo(f"resumed: {state}")


def describe_choices(manifest: Manifest) -> str:
    """The choices that differ from the usual ones."""
    options, rounds = manifest.options, manifest.guided_rounds
    choices = {
        "a swarm, ": options.is_swarm,
        f"scheduler {options.scheduler}, ": options.scheduler != SCHEDULERS[0],
        f"{rounds} guided round{'s' * (rounds > 1)}, ": rounds,
    }
    return "".join(words for words, is_chosen in choices.items() if is_chosen)


def print_summary(summary: dict[str, Any], progress: Progress, options: CampaignOptions) -> None:
    """Counts, and per violated guarantee the command that replays its first violation."""
    computed = progress.done - progress.found
    click.echo(
        f"{summary['schedules']} schedules, {summary['steps'] + summary['healing_steps']} steps, "
        "every state judged; "
        + (
            f"{computed} schedules computed in {progress.seconds:.1f} s "
            f"({progress.schedules_per_second:,.0f}/s with Spark's overhead)."
            if computed
            else "nothing was left to compute."
        )
    )
    for name, found in summary["violations"].items():
        click.echo(
            f"  {name}: refuted by {found['schedules']} schedules, "
            f"{describe_fewest(name, found['shortest_steps'], options)}: "
            f"{format_replay(name, summary, options)}"
        )
    if not summary["violations"]:
        click.echo("  no guarantee was refuted; random schedules prove nothing")
    click.echo(f"  {len(summary['rules_used'])} rule instances fired")
    if summary["ends"]:
        ends = ", ".join(f"{count} {end}" for end, count in summary["ends"].items())
        click.echo(f"  after healing: {ends}")
    for kind in summary["coverage"]["kinds"]:
        of = "" if kind["possible"] is None else f" of {kind['possible']}"
        click.echo(
            f"  {kind['met']}{of} {kind['kind']}; {kind['met_once']} met once, so the next "
            f"schedule is expected to meet {kind['expected_new_per_schedule']:.2g} new ones"
        )


def describe_fewest(name: str, steps: int, options: CampaignOptions) -> str:
    """After how many steps the first schedule of a campaign violates a claim.

    A claim about rest is judged at the end of a schedule, so its number is a schedule's length.
    """
    if name in options.structure.world.judged:
        return f"first after {count_steps(steps)}"
    return f"judged at rest, after {count_steps(steps)} in all"


def format_replay(name: str, summary: dict[str, Any], options: CampaignOptions) -> str:
    """The command that replays the schedule of a campaign that violates a guarantee first."""
    shortest = parse_lineage(summary["violations"][name]["shortest_lineage"])
    return f"rmqspec replay {options.format_identifier(shortest)} --guarantee {name}"


def report_broken_promises(summary: dict[str, Any], options: CampaignOptions) -> int:
    """1 when a guarantee is violated that is proved for these faults, else 0.

    That is a defect of this project: the proof or the kernel is wrong. The replay in the reference
    shows which, so its command comes first.
    """
    broken = find_broken_promises(summary["violations"], options)
    for name, fault in broken.items():
        click.echo(format_replay(name, summary, options), err=True)
        click.echo(f"{name} is proved under {fault}, yet violated", err=True)
    return exit_codes.REFUTED if broken else exit_codes.ANALYSED


def find_broken_promises(violated: Iterable[str], options: CampaignOptions) -> dict[str, str]:
    """The violated guarantees that are proved for these faults, each with those of the proof."""
    admitted = [name for name, count in attrs.asdict(options.limits).items() if count > 0]
    tabled = {g: find_tabled_verdict(g, options.structure, admitted) for g in violated}
    return {
        guarantee: verdict.fault
        for guarantee, verdict in tabled.items()
        if verdict is not None and verdict.word is VerdictWord.PROVED
    }

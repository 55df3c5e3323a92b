"""``rmqspec mutants``: small mistakes in every rule, and the checks that detect them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from command_line.answers.cross_check import check_installed
from command_line.options.shared_options import add_structure_option, describe_unknown
from command_line.output import exit_codes
from command_line.output.checkout import check_is_checkout
from command_line.output.progress import show_progress
from command_line.output.workers import run_all
from properties.checkout import ROOT
from properties.mutants import findings
from properties.mutants.derivation import list_mutants, list_source_structures
from properties.mutants.findings import (
    LAYERS,
    MutantFinding,
    RuleFindings,
    describe_killers,
    list_unexplained,
    summarise,
)
from properties.worlds.catalogue import WORLD_BY_TOPIC

if TYPE_CHECKING:
    from spark_fuzz.judges.mutant_judge import JudgingTask

EPILOG = """\b
Examples:
  rmqspec mutants --world delay                  # the smallest world, within a minute
  rmqspec mutants --rule receive_report          # one rule of replication
  rmqspec mutants --rule transfer_batch --layers equivalence,lemmas --json > batch.json
  rmqspec mutants --world tables --structure "tables/topics/4.4.0" --rule begin_copy

Without a choice all changed rules are judged, about a minute each, and what is found is kept in
.rmqspec/measurements/mutants.json, which a site shows. In a new checkout, or with --anew, these are
all rules, which takes hours. After an interruption the same command continues.

Exit codes: 0 every survivor is explained, 1 some are not, 3 bad input, 4 missing prerequisite, 130
interrupted.
"""

FOLDER = Path(".rmqspec") / "mutants"
RECORDINGS = ROOT / "tests" / "data" / "traces"


def parse_layers(context: click.Context, option: click.Parameter, text: str) -> tuple[str, ...]:
    """The judges that are asked, in their order; raises click.BadParameter for an unknown one."""
    asked = {name.strip() for name in text.split(",")}
    if unknown := sorted(asked - set(LAYERS)):
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(LAYERS)}")
    return tuple(name for name in LAYERS if name in asked)


@click.command(name="mutants", epilog=EPILOG)
@click.option(
    "--world",
    "worlds",
    multiple=True,
    type=click.Choice(list(WORLD_BY_TOPIC)),
    help="Only this world; may be repeated.",
)
@add_structure_option("structure", default=None)
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME", help="Only this rule; may be repeated."
)
@click.option(
    "--layers",
    default=",".join(LAYERS),
    callback=parse_layers,
    metavar="NAME,...",
    help=f"The judges that are asked; all by default: {', '.join(LAYERS)}.",
)
@click.option(
    "--folder",
    default=FOLDER,
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Where results are kept as they come.",
)
@click.option(
    "--jobs",
    default=0,
    show_default=True,
    type=click.IntRange(0, 64),
    help="How many processes; 0: one per core.",
)
@click.option("--anew", is_flag=True, help="Judge the unchanged rules too.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(  # noqa: PLR0913, PLR0917
    worlds: tuple[str, ...],
    structure: str | None,
    rules: tuple[str, ...],
    layers: tuple[str, ...],
    folder: Path,
    jobs: int,
    anew: bool,
    is_json: bool,
) -> int:
    """Make every small mistake in every rule, and report which checks detect it."""
    check_is_checkout("mutants")
    check_installed("numpy")
    tasks = list_tasks(worlds, structure or "", rules, layers)
    known = [] if anew else findings.read_unchanged()
    known += findings.read(folder)
    found = {(entry.world, entry.rule): entry for entry in judge_all(tasks, known, folder, jobs)}
    ordered = [found[task.world, task.rule] for task in tasks]
    is_whole = not (worlds or structure or rules) and layers == LAYERS
    if is_whole:
        findings.save_table(ordered)
    if is_json:
        click.echo(findings.render_json(ordered), nl=False)
    else:
        print_table(ordered)
    needless = findings.list_needless_arguments(ordered) if is_whole else []
    for world, name in needless:
        click.echo(f"explained, though it does not survive, {world}: {name}", err=True)
    is_open = any(list_unexplained(e.world, e.findings) for e in ordered) or needless
    return exit_codes.REFUTED if is_open else exit_codes.ANALYSED


def list_tasks(
    worlds: tuple[str, ...], structure: str, rules: tuple[str, ...], layers: tuple[str, ...]
) -> list[JudgingTask]:
    """The requested tasks; raises click.BadParameter for an unknown rule or structure."""
    from spark_fuzz.judges.mutant_judge import JudgingTask  # noqa: PLC0415

    chosen = {
        world: [m.rule for m in list_mutants(world, rules)]
        for world in worlds or WORLD_BY_TOPIC
        if list_source_structures(world, structure)
    }
    if not chosen:
        known = dict.fromkeys(s.name for w in WORLD_BY_TOPIC for s in list_source_structures(w))
        message = describe_unknown(structure, known, "structure that mutants are made from")
        raise click.BadParameter(message, param_hint="--structure")
    for rule in rules:
        if not any(rule in names for names in chosen.values()):
            raise click.BadParameter(f"no world asked for has {rule!r}", param_hint="--rule")
    return [
        JudgingTask(world, rule, layers, RECORDINGS, structure=structure)
        for world, names in chosen.items()
        for rule in dict.fromkeys(names)
    ]


def judge_all(
    tasks: list[JudgingTask], known_before: list[RuleFindings], folder: Path, jobs: int
) -> Iterable[RuleFindings]:
    """The findings about every rule: the known ones, then new ones, kept as they come."""
    from spark_fuzz.judges.mutant_judge import judge_rule  # noqa: PLC0415

    known = {(e.world, e.rule, e.layers, e.structure): e for e in known_before}
    todo = []
    for task in tasks:
        entry = known.get((task.world, task.rule, task.layers, task.structure))
        if entry is None:
            todo.append(task)
        else:
            yield entry
    with show_progress() as progress:
        for _, entry in run_all(judge_rule, todo, progress, jobs) if todo else ():
            findings.append(folder, entry)
            yield entry


def print_table(found: list[RuleFindings]) -> None:
    """A line per mutant, the numbers per layer, and what is known of each survivor."""
    for entry in found:
        click.echo(f"{entry.world}, {entry.rule}:")
        for finding in entry.findings:
            steps = finding.difference["steps"] if finding.difference else "-"
            click.echo(f"  {finding.name.partition(': ')[2]}")
            click.echo(
                f"      {describe_killers(entry.world, finding)}; distinguished in {steps} steps"
            )
    click.echo("")
    for line in summarise(found):
        click.echo(line)
    for entry in found:
        for finding in list_unexplained(entry.world, entry.findings):
            click.echo(f"unexplained, {entry.world}: {describe_survivor(finding)}")


def describe_survivor(finding: MutantFinding) -> str:
    """What is known of a mutant that no check detects."""
    if finding.difference is None:
        return f"{finding.name}; no step of a small instance is different"
    return (
        f"{finding.name}; in {finding.difference['steps']} steps of "
        f"{finding.difference['instance']} {finding.difference['what']}"
    )

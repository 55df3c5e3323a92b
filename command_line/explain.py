"""``rmqspec explain``: why a guarantee is broken, the schedule that does it, and what helps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from command_line.answers.story.afterwards import BrokenGroup, list_parts, tell_afterwards
from command_line.answers.story.code_story import (
    analyse_by_certificates,
    describe_group,
    find_reason,
    print_stories,
    tell_about_drawing,
)
from command_line.answers.story.times import tell_times
from command_line.answers.story.unmet import tell_unmet
from command_line.options.broker_options import (
    PATHS,
    SettingChange,
    add_broker_options,
    apply_to_consumers,
    read_changed,
    repeat_words,
)
from command_line.options.reading_options import add_reading_options
from command_line.options.shared_options import (
    CLAIM_OR_CODE,
    FAULT,
    USUAL,
    add_structure_option,
    apply_release,
    describe_model,
    find_fault_model,
)
from command_line.output.progress import show_progress
from command_line.output.width import echo, get_drawing_width
from properties.checkout import PROGRAM, name_page
from properties.generated_text import SPEC
from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.counterexamples.cases import choose_schedule, find_case
from properties.scenarios.summary.codes import find_code_of_cell
from properties.scenarios.summary.rows import CODE
from properties.schedules.citations import say_cited
from properties.schedules.telling import draw_cell
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.findings.disputes import list_disputing
from properties.verdicts.findings.explanations import explain
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.broker_group import Deployment
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec explain L12                   # a code of `rmqspec check`
  rmqspec explain L12 conf/2m-2s-sync   # in your groups
  rmqspec explain L12 broker-a.properties --slaves 1 --rocketmq-version 4.9.8
  rmqspec explain C41 --what-if flushDiskType=SYNC_FLUSH
  rmqspec explain C41 --timed           # and how long puts and slaves take
  rmqspec explain D12 --what-if consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET
  rmqspec explain acknowledgement_is_truthful "late join"
  rmqspec explain acknowledgement_is_truthful "late join" conf/2m-2s-sync
  rmqspec explain flush_reaches_the_end "every fault" \\
    --structure "ASYNC_MASTER/SYNC_FLUSH/0 slaves"
  rmqspec explain no_message_is_skipped "master stop" \\
    --structure "reading/open slow/no offset check/last"
  rmqspec explain acknowledgement_is_truthful none \\
    --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0"

The verdicts are those of the certificates, and the schedules are replayed: nothing is remembered.

Exit codes: 0 explained, 3 bad input: every bad file is reported.
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("asked", metavar="CODE|CLAIM", type=CLAIM_OR_CODE)
@click.argument("more", nargs=-1, metavar=f"[FAULT] {PATHS}")
@add_structure_option(default=None)
@add_broker_options()
@add_reading_options
@click.option("--timed", "is_timed", is_flag=True, help="Also how long it takes with these timers")
def command(  # noqa: PLR0913, PLR0917
    asked: str,
    more: tuple[str, ...],
    name: str | None,
    slaves: int | None,
    changes: list[SettingChange],
    version: Version,
    is_timed: bool,
    **consumers: Any,
) -> None:
    """Show why a claim fails: what happens, each step, what helps afterwards and what does not.

    CODE is one that `check` prints; CLAIM and FAULT name a guarantee and a fault model instead.
    Both are explained in the groups of the files. Without files CODE is explained in an embedded
    pair, and CLAIM in --structure, by default SYNC_MASTER/ASYNC_FLUSH/1 slave.
    """
    is_code = CODE.fullmatch(asked) is not None
    if not is_code and not more:
        raise click.UsageError("give CLAIM and FAULT, or CODE and files")
    paths = more if is_code else more[1:]
    is_about_groups = bool(paths or changes or slaves is not None)
    check_options(name, is_timed=is_timed, is_about_groups=is_code or is_about_groups)
    fault = "" if is_code else FAULT.convert(more[0], None, None)
    if not is_code and not is_about_groups:
        explain_cell(apply_release(STRUCTURES[name or USUAL], version), asked, fault)
        return
    consumers = apply_to_consumers(consumers, changes)
    is_known = slaves is not None
    with show_progress():
        deployments = read_changed(paths, version, slaves, changes)
        if is_code:
            words = repeat_words(paths, version, changes, slaves)
            print_stories(asked, deployments, consumers, words, is_known=is_known)
        else:
            for analysis in analyse_by_certificates(deployments, consumers, is_known=is_known):
                explain_group(analysis, asked, fault)
        if is_timed:
            print_times(deployments)


def check_options(name: str | None, *, is_timed: bool, is_about_groups: bool) -> None:
    """Nothing, if the options fit what is asked. Raises click.UsageError."""
    if name is not None and is_about_groups:
        raise click.UsageError("--structure goes with CLAIM and FAULT, without files")
    if is_timed and not is_about_groups:
        raise click.UsageError("--timed is about groups: give CODE, or files")


def explain_group(analysis: GroupAnalysis, claim: str, fault: str) -> None:
    """Print why a claim fails in a group, under its name."""
    echo(f"{describe_group(analysis.group)}:")
    explain_in(analysis.summarised, claim, fault)


def print_times(deployments: Iterable[Deployment]) -> None:
    """Print how long puts and slaves take in each group."""
    for line in tell_times(group for each in deployments for group in each.groups):
        echo(line)


def explain_in(sources: Sequence[Analysis], claim: str, fault: str) -> None:
    """Print why a claim fails in a group, by all structures of the group that have the claim."""
    found = [s for s in sources if claim in s.structure.world.claims]
    if not found:
        echo(f"{claim} is not claimed of this group.")
    for source in found:
        find_fault_model(source.structure, fault, "FAULT")
        cells = {(v.guarantee, v.fault): v for v in source.verdicts}
        explain_verdict(source.structure, cells[claim, fault])


def explain_cell(structure: ClaimedStructure, claim: str, fault: str) -> None:
    """Print why a verdict is refuted. Raises click.BadParameter if there is no such verdict."""
    explain_verdict(structure, find_cell(structure, claim, fault))


def explain_verdict(structure: ClaimedStructure, verdict: Verdict) -> None:
    """Print why a verdict is refuted, or why it is not."""
    claim, fault = verdict.guarantee, verdict.fault
    echo(f"{describe_model(structure)}, {fault}.")
    echo(f"{claim}: {structure.world.claims[claim].sentence}")
    if verdict.word is not VerdictWord.REFUTED:
        echo(f"It is not refuted: {describe(verdict)}.")
        for line in tell_unmet([verdict]):
            click.echo(line)
        print_disputes(verdict)
        return
    reason = describe_reason(structure, verdict)
    echo("\n".join(filter(None, (reason, say_cited(reason)))) + "\n")
    print_disputes(verdict)
    choice = choose_schedule(structure, verdict)
    click.echo(draw_cell(structure, choice.verdict, get_drawing_width()))
    echo("\n".join(tell_about_drawing(structure, verdict, choice)))
    if page := find_page(claim):
        echo(f"\nMore about this guarantee, and what prevents it: {page}")
    if code := find_code_of_cell(structure, verdict):
        echo(f"On the screen of `check` it is {code}: {PROGRAM} explain {code}")
    broken = BrokenGroup(structure, choice.verdict, (claim,), list_parts(structure))
    click.echo("\n".join(tell_afterwards(broken)))


def print_disputes(verdict: Verdict) -> None:
    """What real brokers do that disputes a verdict, with the evidence."""
    for finding in list_disputing([verdict]):
        echo(f"  {finding.id}: {finding.says} ({'; '.join(finding.evidence)})")


def find_page(claim: str) -> str | None:
    """The counterexample page of a claim; None if it has none."""
    case = find_case(claim)
    return None if case is None else name_page(case.page.relative_to(SPEC).as_posix())


def find_cell(structure: ClaimedStructure, claim: str, fault: str) -> Verdict:
    """The certified verdict. Raises click.BadParameter if the structure's world has none such."""
    if claim not in structure.world.claims:
        raise click.BadParameter(f"{claim} is not claimed of {structure.name}; name a --structure")
    find_fault_model(structure, fault, "FAULT")
    return load_cells(structure)[claim, fault]


def describe_reason(structure: ClaimedStructure, verdict: Verdict) -> str:
    """The class of a refutation of 4.4.0 with its evidence; otherwise the expected reason."""
    if not isinstance(structure, ClaimedGroup) or structure.variants:
        return find_reason(structure, verdict)
    found = explain(structure, verdict)
    predicted = f"predicted, see {name_page('predictions.md')}"
    seen = ", ".join((*found.threads, *found.recordings)) or predicted
    return f"{found.name}: {found.sentence} ({seen})"

"""``rmqspec conform``: any broker, held against the model by playing the other end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from brokers.broker.settings import Settings
from brokers.conformance.case import Case
from brokers.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from brokers.conformance.judging import (
    FAILED,
    INCONCLUSIVE,
    PASSED,
    SKIPPED,
    VACUOUS,
    CaseOutcome,
)
from brokers.conformance.running import BrokerUnderTest, NoBrokerError, find_obstacle, run_cases
from command_line.broker import parse_settings, read_configuration
from command_line.conformance.junit import render_junit
from command_line.conformance.matrix_page import render_matrix
from command_line.conformance.run_report import (
    count,
    make_report,
    read_report,
    say_counts,
    say_outcome,
)
from command_line.conformance.vectors import run as ask_vectors
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.new_files import check_new, tell_problem
from command_line.output.progress import show_progress
from reference.releases.versions import Version

MASTER, SLAVE = "master", "slave"

EPILOG = """\b
Examples:
  rmqspec conform --list
  rmqspec conform --as slave --master 127.0.0.1:10912 --broker 127.0.0.1:10911 \\
      --fresh ./restart_empty.sh --config broker-a.conf --out run
  rmqspec conform --as master --listen 10912 --broker 127.0.0.1:10921 --namesrv-listen 9876 \\
      --fresh ./restart_empty.sh --config slave.conf
  rmqspec conform --as slave --master 127.0.0.1:10912 --broker 127.0.0.1:10911 --case "a put"
  rmqspec conform --vectors vectors.zip --driver ./my_driver
  rmqspec conform --matrix brokers.html run-a/report.json run-b/report.json

The broker under test is the other end: --as slave holds a master, --as master holds a slave. Each
case needs an empty broker; --fresh is a shell command that stops the broker, empties its store,
starts it in the background and returns. Without it one case is played on the broker that runs.
--restart is one that leaves the store as it is.
Nobody else may use the broker meanwhile. The rules decide what may come; a case never lists it.

Exit codes: 0 every case that was played conforms, or its failure is waived; 1 one fails, or none
was played, or an answer to a vector differs; 2 none fails, but one is inconclusive (with --strict
also: not played, or vacuous), or a driver answers nothing; 3 bad input, or the broker or the driver
cannot be reached.
"""


@click.command(name="conform", epilog=EPILOG)
@click.option(
    "--as", "own_role", type=click.Choice((SLAVE, MASTER)), help="What this program plays."
)
@click.option("--master", metavar="HOST:PORT", help="The HA address of the master under test.")
@click.option("--broker", metavar="HOST:PORT", help="Where the broker under test takes clients.")
@click.option(
    "--listen",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Where the slave under test finds its master; it has no default.",
)
@click.option(
    "--namesrv-listen",
    "names_port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Where the slave under test finds its name server; by default there is none.",
)
@click.option("--bind", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--fresh", default="", metavar="CMD", help="Makes the broker under test empty.")
@click.option(
    "--restart",
    default="",
    metavar="CMD",
    help="Kills the broker under test (SIGKILL), and starts it again on its store.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The broker.conf of the broker under test; --set wins over it.",
)
@click.option(
    "--set",
    "told",
    multiple=True,
    callback=parse_settings,
    metavar="KEY=VALUE",
    help="A setting of the broker under test. Repeatable.",
)
@click.option(
    "--case", "wanted", multiple=True, metavar="TEXT", help="Only cases whose name has it."
)
@click.option("--list", "is_list", is_flag=True, help="List the cases, and play none.")
@click.option("--strict", is_flag=True, help="Cases that are not played, or vacuous, count too.")
@click.option(
    "--waive",
    "waivers",
    multiple=True,
    metavar="CASE=REASON",
    help="A failure of this case is accepted. Repeatable.",
)
@click.option("--name", default="", metavar="NAME", help="The broker's name in reports.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A new folder for report.json, junit.xml, report.html and a recording of each case.",
)
@click.option(
    "--matrix",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write one page of the reports that are named, and play nothing.",
)
@click.option(
    "--vectors",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="ARCHIVE",
    help="Ask a driver the vectors of an archive instead (export vectors --product).",
)
@click.option("--driver", default="", metavar="CMD", help="The driver that is asked.")
@click.argument("reports", nargs=-1, type=click.Path(path_type=Path))
@add_version_option()
def command(  # noqa: PLR0913, PLR0917
    own_role: str | None,
    master: str | None,
    broker: str | None,
    listen: int | None,
    names_port: int | None,
    bind: str,
    fresh: str,
    restart: str,
    config: Path | None,
    told: dict[str, str],
    wanted: tuple[str, ...],
    is_list: bool,
    strict: bool,
    waivers: tuple[str, ...],
    name: str,
    out: Path | None,
    matrix: Path | None,
    vectors: Path | None,
    driver: str,
    reports: tuple[Path, ...],
    version: Version,
) -> int:
    """Hold a broker against the rules: play its slave or its master, and judge what it answers."""
    if (vectors is None) is bool(driver):
        raise click.UsageError("--vectors and --driver belong together")
    if vectors is not None:
        return ask_vectors(vectors, driver, release=version.name)
    if matrix is not None:
        return write_matrix(matrix, reports)
    cases = choose_cases(own_role, wanted)
    if is_list:
        return list_cases(cases)
    settings = read_settings(config, told, own_role, version)
    target = make_target(settings, master, broker, listen)
    target = evolve(target, bind=bind, fresh=fresh, restart=restart)
    target = evolve(target, names_port=names_port or 0)
    outcomes = hold(cases, target, read_waivers(waivers), name, out)
    return find_exit_code(outcomes, is_strict=strict)


def hold(
    cases: Sequence[Case],
    target: BrokerUnderTest,
    waivers: dict[str, str],
    name: str,
    out: Path | None,
) -> list[CaseOutcome]:
    """Play all cases, and report them. Raises click.BadParameter."""
    if out is not None:
        check_new(out)
    outcomes = play(cases, target, waivers)
    title = name or target.broker_address or f"slave at {target.listen_port}"
    report_run(title, target, outcomes, out)
    return outcomes


def report_run(
    title: str, target: BrokerUnderTest, outcomes: Sequence[CaseOutcome], out: Path | None
) -> None:
    """What is said and written of a run. Raises click.BadParameter."""
    tested = SLAVE if target.settings.is_slave else MASTER
    report = make_report(title, tested, target.settings.version.name, outcomes)
    if out is not None:
        write_reports(out, report, outcomes)
    click.echo(say_counts(report["counts"]) or "no case was played")


def choose_cases(own_role: str | None, wanted: Sequence[str]) -> tuple[Case, ...]:
    """The cases of a role whose names have one of these texts. Raises click.BadParameter."""
    every = {SLAVE: MASTER_CASES, MASTER: SLAVE_CASES, None: (*MASTER_CASES, *SLAVE_CASES)}
    cases = every[own_role]
    chosen = tuple(c for c in cases if not wanted or any(text in c.name for text in wanted))
    if not chosen:
        raise click.BadParameter(f"no case has {' or '.join(map(repr, wanted))} in its name")
    return chosen


def list_cases(cases: Iterable[Case]) -> int:
    """Each case with its schedule."""
    for case in cases:
        click.echo(f"{MASTER if case.is_master_tested else SLAVE}: {case.name}")
        for heading in case.headings:
            click.echo(f"    holds {heading}")
        for key, (low, high) in case.needs.items():
            click.echo(f"    needs {key} from {low} to {high}")
        for key, word in case.words.items():
            click.echo(f"    needs {key}={word}")
        for act in case.acts:
            click.echo(f"    - {act}")
    return exit_codes.ANALYSED


def read_settings(
    config: Path | None, told: dict[str, str], own_role: str | None, version: Version
) -> Settings:
    """Of the broker under test. Raises ConfigurationError, click.UsageError."""
    if own_role is None:
        raise click.UsageError("say with --as what this program plays, or --list the cases")
    if own_role == MASTER:
        told = {"brokerRole": "SLAVE", **told}
    elif config is None:
        told = {"brokerRole": "SYNC_MASTER", **told}
    settings = Settings(read_configuration(config, told, version), Path("unused"))
    if settings.is_slave is not (own_role == MASTER):
        raise click.BadParameter(f"--as {own_role} needs a broker of another role than it has")
    return settings


def make_target(
    settings: Settings, master: str | None, broker: str | None, listen: int | None
) -> BrokerUnderTest:
    """Where the broker under test is. Raises click.UsageError."""
    if settings.is_slave:
        if listen is None:
            raise click.UsageError("--as master needs --listen PORT")
        check_addresses(broker)
        return BrokerUnderTest(settings, broker_address=broker or "", listen_port=listen)
    if master is None or broker is None:
        raise click.UsageError("--as slave needs --master HOST:HA_PORT and --broker HOST:PORT")
    check_addresses(master, broker)
    return BrokerUnderTest(settings, master, broker)


def check_addresses(*addresses: str | None) -> None:
    """Those that are told are addresses. Raises click.BadParameter."""
    for address in addresses:
        if address is not None and not re.fullmatch(r".+:\d+", address):
            raise click.BadParameter(f"{address!r} is not HOST:PORT")


def read_waivers(told: Iterable[str]) -> dict[str, str]:
    """Reasons by case. Raises click.BadParameter."""
    found: dict[str, str] = {}
    names = {case.name for case in (*MASTER_CASES, *SLAVE_CASES)}
    for each in told:
        name, _, reason = each.partition("=")
        if name not in names or not reason.strip():
            raise click.BadParameter(f"--waive {each!r} is not CASE=REASON with a known case")
        found[name] = reason.strip()
    return found


def play(
    cases: Sequence[Case], target: BrokerUnderTest, waivers: dict[str, str]
) -> list[CaseOutcome]:
    """All cases, told as they end. Raises click.ClickException."""
    outcomes: list[CaseOutcome] = []
    runnable = [case for case in cases if not find_obstacle(case, target)]
    with show_progress() as line:
        line.advance(0, len(runnable), "cases")
        try:
            for outcome in run_cases(cases, target):
                if outcome.word == FAILED and outcome.case.name in waivers:
                    outcome = evolve(outcome, waiver=waivers[outcome.case.name])  # noqa: PLW2901
                outcomes.append(outcome)
                line.clear()
                click.echo("\n".join(say_outcome(outcome)))
                played = sum(each.word != SKIPPED for each in outcomes)
                line.advance(played, len(runnable), "cases")
        except (NoBrokerError, OSError) as problem:
            raise click.BadParameter(str(problem)) from problem
    return outcomes


def write_reports(out: Path, report: dict[str, Any], outcomes: Iterable[CaseOutcome]) -> None:
    """Everything that is left of a run."""
    with tell_problem(out):
        (out / "recordings").mkdir(parents=True)
        text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
        (out / "report.json").write_text(text, encoding="utf-8")
        (out / "junit.xml").write_text(render_junit(report), encoding="utf-8")
        (out / "report.html").write_text(render_matrix([report]), encoding="utf-8")
        for outcome in outcomes:
            recording = outcome.recording
            if recording is not None:
                name = re.sub(r"\W+", "_", outcome.case.name).strip("_")
                events = (recording.config, *recording.events)
                lines = "".join(json.dumps(event.data) + "\n" for event in events)
                (out / "recordings" / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def write_matrix(out: Path, paths: Sequence[Path]) -> int:
    """One page of several reports. Raises click.BadParameter."""
    if not paths:
        raise click.UsageError("--matrix needs the report.json of at least one run")
    text = render_matrix([read_report(path) for path in paths])
    with tell_problem(out):
        out.write_text(text, encoding="utf-8")
    click.echo(f"{out}: {len(paths)} reports")
    return exit_codes.ANALYSED


def find_exit_code(outcomes: Sequence[CaseOutcome], *, is_strict: bool) -> int:
    """No case that was played is a failure; so is none that counts."""
    counts = count(outcomes)
    played = len(outcomes) - counts[SKIPPED]
    if (
        counts[FAILED]
        or not played
        or not (counts[PASSED] + counts[INCONCLUSIVE] + counts["waived"])
    ):
        return exit_codes.REFUTED
    open_words = (INCONCLUSIVE, SKIPPED, VACUOUS) if is_strict else (INCONCLUSIVE,)
    return exit_codes.UNDECIDED if any(counts[w] for w in open_words) else exit_codes.ANALYSED

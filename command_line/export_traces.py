"""``rmqspec export itf``: every counterexample and known issue as a trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import click

from command_line.options.name_options import add_structures_option, describe_unknown
from command_line.output import exit_codes
from command_line.output.new_files import OUT, check_new, tell_problem
from command_line.output.progress import show_progress
from properties.exports.itf import (
    Exported,
    list_certified,
    list_counterexamples,
    list_issue_traces,
    write_traces,
)

EPILOG = """\b
Examples:
  rmqspec export itf --out traces
  rmqspec export itf --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"
  rmqspec export itf --out issues --issues
  rmqspec replay issues/known_issues/slave_ahead_acknowledges.itf.json
\b
All traces are about 3,000 files. index.json lists them with their fault columns.
Exit codes: 0 written, 3 bad input (the folder exists).
"""


@click.command(name="itf", epilog=EPILOG)
@OUT
@add_structures_option(is_of_any_release=True)
@click.option("--issues", "is_issues_only", is_flag=True, help="Only the known issues.")
def itf(out: Path, names: tuple[str, ...], is_issues_only: bool) -> int:
    """Write every stored counterexample and known issue as an ITF trace, for `rmqspec replay`."""
    check_new(out)
    traces = list_traces(names, is_issues_only)
    counts: Counter[str] = Counter()
    with tell_problem(out), show_progress() as progress:
        for each in write_traces(traces, out):
            counts[each.file.parent.name] += 1
            progress(f"{counts.total()} traces: {each.file}")
    for folder, count in counts.items():
        click.echo(f"{out / folder}: {count} traces")
    return exit_codes.ANALYSED


def list_traces(names: tuple[str, ...], is_issues_only: bool) -> Iterable[Exported]:
    """The traces that are asked for: of some structures, of the known issues, or all.

    Raises click.BadParameter for a structure without a certificate.
    """
    if is_issues_only and names:
        raise click.BadParameter("--issues has structures of its own; leave --structure out")
    certified = {s.name: s for s in list_certified()} if not is_issues_only else {}
    for name in names:
        if name not in certified:
            message = describe_unknown(name, certified, "structure with counterexamples")
            raise click.BadParameter(message, param_hint="--structure")
    asked = [certified[name] for name in names or certified]
    issues = () if names else list_issue_traces()
    return chain(issues, chain.from_iterable(map(list_counterexamples, asked)))

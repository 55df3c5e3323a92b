"""The verbs, and how every failure becomes a line and an exit code."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, TextIO

import click

from command_line.output import exit_codes
from command_line.output.failures import get_exit_code
from command_line.output.interruption import say_when_interrupted
from command_line.output.progress import watch
from command_line.output.standard_streams import OutputClosedError, end_quietly, reserve_numbers
from properties.checkout import FULL_ENVIRONMENT
from properties.language.world import ClaimedStructure
from properties.verdicts.changed_rules import renew_when_loaded
from reference import ROCKETMQ_VERSION

DEBUG = "RMQSPEC_DEBUG"
"""An environment variable: when set, failures show where they come from."""

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write that name no path: a full disk or quota, a broken device."""

VERBS = {
    "check": ("command_line.check", "Show what broker groups can lose, from their configuration."),
    "upgrade": ("command_line.upgrade", "Show what another release changes for broker groups."),
    "explain": (
        "command_line.explain",
        "Explain a failure: each step, and what helps afterwards.",
    ),
    "issues": ("command_line.issues", "List known issues, and which can happen to your groups."),
    "prove": ("command_line.prove", "Re-check every certificate, or search again."),
    "fuzz": ("command_line.fuzz", "Run millions of random failure schedules on Spark."),
    "replay": ("command_line.replay", "Replay schedules of campaigns and files, and draw them."),
    "trace": ("command_line.trace", "Explain recordings of real brokers by the model."),
    "store": ("command_line.store", "Compare brokers' stores; say what a promotion would lose."),
    "logs": ("command_line.logs", "Read brokers' own logs: what happened, and signs of trouble."),
    "broker": ("command_line.broker", "Run a broker of our own: the rules behind real sockets."),
    "record": ("command_line.record", "Record brokers: a proxy for slaves, files of events."),
    "conform": ("command_line.conform", "Hold any broker against the rules, on the wire."),
    "pull": ("command_line.pull", "Answer a pull, and say where the next one goes."),
    "export": ("command_line.export", "Write vectors, traces, proofs and models for others."),
    "judges": ("command_line.judges", "Compare the verdicts of five independent engines."),
    "mutants": ("command_line.mutants", "Find out which checks detect a small mistake in a rule."),
    "bench": (
        "command_line.bench",
        "Measure the reference and the kernel, also against a commit.",
    ),
    "test": ("command_line.run_tests", "Run the tests; arguments go to pytest."),
    "renew": ("command_line.renew", "Make again what was computed from rules that have changed."),
    "docs": (
        "command_line.docs",
        "Build the book as a site; keep its text in step with the code.",
    ),
}
"""Verb -> (module whose ``command`` it is, one line for --help); imported when used."""


OWN_VERBS = ("judges", "mutants", "bench", "test", "renew", "docs")
"""Verbs about the project itself, which --help lists apart."""

VERSION_LINE = f"rmqspec 0.2.0, model of RocketMQ {ROCKETMQ_VERSION}"

QUIET = "--quiet"
"""The option of every verb that silences progress; read before a verb's module is imported."""

UNTIL_STOPPED = ("broker", "record")
"""Verbs that run until they are stopped: they show no progress."""

ANSWERING = ("check", "upgrade", "explain", "issues", "judges", "fuzz", "replay", "trace", "export")
"""Verbs that answer about rules that have been changed: what was proved of others is renewed."""

RESUMABLE = ("fuzz", "prove")
"""Verbs that say themselves what an interruption leaves."""

FOREIGN_ARGUMENTS = ("test",)
"""Verbs whose arguments go to another program."""


def add_quiet(command: click.Command) -> None:
    """Let a verb, or each verb below it, take the option that silences progress."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_quiet(each)
    elif not any(QUIET in parameter.opts for parameter in command.params):
        text = "Write no progress to standard error."
        command.params.append(click.Option([QUIET], is_flag=True, expose_value=False, help=text))


def forget_help_option(command: click.Command) -> None:
    """Let a verb, and each verb below it, take its --help as the program names it.

    click keeps the option of the first call, which may have been without the program.
    """
    command._help_option = None
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        forget_help_option(each)


class ClosedPeerError(Exception):
    """A socket or a pipe was closed by its other end, and the verb cannot go on without it."""


class Verbs(click.Group):
    """Imports a verb's module only when it is called, so that --help and check start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None for an unknown one."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(VERBS[cmd_name][0]).command
        if cmd_name not in FOREIGN_ARGUMENTS:
            add_quiet(command)
        forget_help_option(command)
        if cmd_name not in RESUMABLE:
            say_when_interrupted(lambda: "interrupted")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb. click would end silently, with 1, where the end of a pipe is closed."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as problem:
            raise ClosedPeerError(f"the other end is closed: {problem.strerror}") from problem

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs without importing them."""
        rows = [(verb, text) for verb, (_, text) in VERBS.items()]
        with formatter.section("Verbs"):
            formatter.write_dl([row for row in rows if row[0] not in OWN_VERBS])
        with formatter.section("Verbs for those who change the project"):
            formatter.write_dl([row for row in rows if row[0] in OWN_VERBS])


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 analysed, 1 refuted or rejected, 2 undecided, 3 bad input, "
    "4 missing prerequisite, 70 internal disagreement, 130 interrupted.",
)
@click.version_option("0.2.0", message=VERSION_LINE)
def group() -> None:
    """Show what a RocketMQ master/slave group can lose, and after which failures.

    The model is of RocketMQ 4.4.0; --rocketmq-version chooses another release. No --help installs
    anything. Progress goes to standard error; --quiet silences it.
    """


def main() -> None:
    """Run a verb and leave with its exit code; a failure is one line on standard error."""
    reserve_numbers()
    try:
        code, message = run_verb()
    except OutputClosedError:
        end_quietly()
        raise
    lost = flush(sys.stdout)
    if isinstance(lost, BrokenPipeError) and message is None:
        end_quietly()
    if lost is not None and message is None:
        code, message = describe(lost)
    if message is not None:
        with suppress(OSError):
            click.echo(message, err=True)
    flush(sys.stderr)
    sys.exit(code)


def run_verb() -> tuple[int, str | None]:
    """Run the verb of the command line: its exit code, and a message if it failed."""
    words = sys.argv[1:]
    try:
        is_quiet = QUIET in words or words[:1] in ([verb] for verb in UNTIL_STOPPED)
        watching = watch(f"rmqspec {words[0]}" if words else "", is_quiet=is_quiet)
        with watching, renew_for_answers(words):
            code = group.main(prog_name="rmqspec", standalone_mode=False)
    except click.exceptions.Abort as problem:
        return exit_codes.INTERRUPTED, format_line(str(problem) or "interrupted")
    except click.exceptions.NoArgsIsHelpError as problem:
        return exit_codes.BAD_INPUT, problem.format_message()
    except click.ClickException as problem:
        context = getattr(problem, "ctx", None)
        hint = f"; try `{context.command_path} --help`" if context else ""
        return exit_codes.BAD_INPUT, format_line(problem.format_message().rstrip(".") + hint)
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED, format_line("interrupted")
    except Exception as problem:
        if DEBUG in os.environ:
            raise
        return describe(problem)
    return code or exit_codes.ANALYSED, None


def renew_for_answers(words: Sequence[str]) -> AbstractContextManager[None]:
    """Let a verb that answers do so about changed rules, too, and say it on standard error."""
    if not words or words[0] not in ANSWERING:
        return nullcontext()
    return renew_when_loaded(renew_aloud)


def renew_aloud(structure: ClaimedStructure, document: dict[str, Any]) -> dict[str, Any]:
    """A certificate from other rules as it would be from these, with a line on standard error."""
    # A program that finds none stale needs no solver.
    from properties.verdicts.renewal import renew_for_answer  # noqa: PLC0415

    def say(text: str) -> None:
        click.echo(format_line(text), err=True)

    return renew_for_answer(structure, document, say)


def describe(problem: Exception) -> tuple[int, str]:
    """The exit code of a failure, and its line."""
    if isinstance(problem, ModuleNotFoundError):
        return exit_codes.MISSING_PREREQUISITE, format_line(f"{problem}; {FULL_ENVIRONMENT}")
    code = get_exit_code(problem)
    if code is None:
        text = f"defect: {type(problem).__name__}: {problem}; {DEBUG}=1 shows where"
        return exit_codes.INTERNAL_DISAGREEMENT, format_line(text)
    if isinstance(problem, OSError) and problem.errno in UNWRITABLE and problem.filename is None:
        return code, format_line(f"cannot write: {problem.strerror}")
    return code, "\n".join(map(format_line, getattr(problem, "problems", (str(problem),))))


def format_line(message: str) -> str:
    """A message as one line that begins with the program's name."""
    return "rmqspec: " + " ".join(message.split())


def flush(stream: TextIO | None) -> OSError | None:
    """Flush a stream; if that fails, drop the rest and return the reason.

    Otherwise the flush would fail again when the interpreter ends. It would print lines of its own
    and leave with 120.
    """
    if stream is None:
        return None
    try:
        stream.flush()
    except OSError as problem:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        return problem
    return None

"""Every example of every ``--help``, parsed from the programs, and run as a user would type it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import frozen

from command_line.main import UNTIL_STOPPED, group
from tests.command_line.run import ROOT, run

PROGRAM = "rmqspec"
COMMENT = re.compile(r"\s+#\s.*")
"""What a shell leaves out; ``ali#359`` is a word."""

SPARK = re.compile(r"^rmqspec fuzz\b|--campaign-seconds")
"""What starts a Spark job."""

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`(\./rmqspec\b[^`]*)`")


@frozen
class Example:
    """One line that a text tells its reader to type."""

    place: str
    """Where it stands: a verb, for example ``export tla``, or a file."""
    line: str
    """The line as a shell gets it, without its comment."""

    @property
    def words(self) -> list[str]:
        """The arguments of the program, patterns of file names not yet replaced."""
        return shlex.split(re.split(r" [|<>] ", self.line)[0])[1:]

    def get_redirection(self, mark: str) -> str:
        """What stands behind ``|``, ``<`` or ``>``; empty where there is none."""
        return self.line.partition(f" {mark} ")[2]

    @property
    def runs_until_stopped(self) -> bool:
        """It ends only when it is told to."""
        return self.line.split()[1] in UNTIL_STOPPED and "--play" not in self.line

    @property
    def needs_spark(self) -> bool:
        """It needs Java, and shares a session with other tests."""
        return SPARK.search(self.line) is not None


def list_commands(
    command: click.Command = group, context: click.Context | None = None, name: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Every verb that does something, with its name; verbs of verbs too."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    inside = click.Context(command, parent=context)
    for each in command.list_commands(inside):
        found = command.get_command(inside, each)
        assert found is not None
        yield from list_commands(found, inside, f"{name} {each}".strip())


def list_lines(epilog: str) -> Iterator[str]:
    """The lines under ``Examples:``, a continued one as one line, without comments."""
    told = epilog.partition("Examples:\n")[2]
    yield from split_lines(re.split(r"^\x08?$", told, maxsplit=1, flags=re.MULTILINE)[0])


def split_lines(text: str) -> Iterator[str]:
    """The lines as a shell gets them: a continued one as one line, without comments."""
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        yield COMMENT.sub("", line).strip()


def list_examples() -> list[Example]:
    """The examples of all verbs in their order."""
    return [
        Example(name, line)
        for name, command in list_commands()
        for line in list_lines(command.epilog or "")
    ]


def list_documents() -> list[Path]:
    """The texts that tell commands: README.md and every chapter."""
    return [ROOT / "README.md", *sorted((ROOT / "spec").rglob("*.md"))]


def list_typed() -> list[Example]:
    """The commands of the program in the texts' blocks for a shell, as ``./rmqspec`` runs them."""
    return [
        Example(path.relative_to(ROOT).as_posix(), line.removeprefix("./"))
        for path in list_documents()
        for block in BLOCK.findall(path.read_text(encoding="utf-8"))
        for line in split_lines(block)
        if line.startswith(f"./{PROGRAM} ")
    ]


def list_spans() -> list[Example]:
    """The commands that stand between words of the texts, often with a word in place of a value."""
    return [
        Example(path.relative_to(ROOT).as_posix(), " ".join(span.split()).removeprefix("./"))
        for path in list_documents()
        for span in SPAN.findall(path.read_text(encoding="utf-8"))
    ]


def find_command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The verb of these words and the words behind it. Raises AssertionError for no verb."""
    verbs = dict(list_commands())
    for length in (2, 1):
        if (name := " ".join(words[:length])) in verbs:
            return verbs[name], words[length:]
    raise AssertionError(f"no verb in {words}")


def run_example(example: Example, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it in this folder; what ``|``, ``<`` and ``>`` say is done here, ``jq`` by Python."""
    if example.runs_until_stopped:
        return run_until_stopped(example, folder)
    source = example.get_redirection("<")
    text = (folder / source).read_text(encoding="utf-8") if source else ""
    result = run(*expand(example.words, folder), folder=folder, text=text)
    if target := example.get_redirection(">"):
        (folder / target).write_text(result.stdout, encoding="utf-8")
    if reader := example.get_redirection("|"):
        assert reader == "jq ."
        json.loads(result.stdout)
    return result


def run_until_stopped(example: Example, folder: Path) -> subprocess.CompletedProcess[str]:
    """Start it, alone on this machine since ports are fixed, and stop it once it says something."""
    words = [sys.executable, "-m", "command_line", *expand(example.words, folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (Path(tempfile.gettempdir()) / "rmqspec_ports.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, first + rest, errors)


def expand(words: list[str], folder: Path) -> Iterator[str]:
    """The words with patterns of file names replaced, as a shell does."""
    for word in words:
        found = [str(path.relative_to(folder)) for path in folder.glob(word)] if "*" in word else []
        yield from sorted(found) or [word]


KEPT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", ".rmqspec", ".hypothesis", ".*_cache", "__pycache__"),
    *("campaigns", "spark-warehouse", "searches"),
)


def run_copied(example: Example, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it in a copy of the project in this folder; tests are collected, and none is run."""
    shutil.copytree(ROOT, folder / "main", ignore=KEPT_OUT)
    if (recordings := ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to(recordings.resolve())
    words = [sys.executable, "-m", "command_line", *example.words]
    variables = {"PYTHONPATH": str(folder / "main"), "PYTEST_ADDOPTS": "--collect-only -q"}
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder / "main",
        env={**os.environ, **variables},
    )

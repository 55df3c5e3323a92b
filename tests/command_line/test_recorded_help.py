"""``--help`` of every verb in a fresh checkout: only Python is needed."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from command_line.main import VERBS
from command_line.output import exit_codes, recorded_help
from command_line.output.help_texts import list_texts, render_help_texts
from tests.command_line.run import ROOT, run

CHECKOUT = (
    "rmqspec",
    "constraints.txt",
    "pyproject.toml",
    "command_line/output/recorded_help.py",
    "command_line/output/recorded_help.toml",
)
"""All of a fresh checkout that --help may read."""

BARE = f"""#!/bin/sh
exec {sys.executable} -I -S "$@"
"""
"""A Python that has its standard library and no package besides."""

TEXTS = recorded_help.load_texts()


@pytest.fixture(name="checkout", scope="module")
def make_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which ./rmqspec was never run, and a bare Python beside it."""
    folder = tmp_path_factory.mktemp("fresh")
    for name in CHECKOUT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "python").write_text(BARE)
    (folder / "python").chmod(stat.S_IRWXU)
    return folder


def run_fresh(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``./rmqspec WORDS`` there; afterwards it has no environment."""
    environment = {"PATH": "/usr/bin:/bin", "RMQSPEC_PYTHON": str(checkout / "python")}
    command = [str(checkout / "rmqspec"), *words]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert not (checkout / ".venv").exists(), result.stderr
    return result


@pytest.mark.parametrize("verb", [key for key in TEXTS if not key.startswith("-")])
def test_help_installs_nothing(verb: str, checkout: Path) -> None:
    """With a Python that has no third-party package; the text is that of the verb."""
    result = run_fresh(checkout, *verb.split(), "--help")
    assert (0, "") == (result.returncode, result.stderr)
    assert result.stdout.startswith(f"Usage: rmqspec {verb}".rstrip())
    assert TEXTS[verb] == result.stdout


def test_a_bare_python_has_no_package(checkout: Path) -> None:
    """What the other tests rely on."""
    command = [str(checkout / "python"), "-c", "import click"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "No module named 'click'" in result.stderr


def test_the_version_and_bad_lines_install_nothing(checkout: Path) -> None:
    """Bare rmqspec lists the verbs and leaves with the code of bad input."""
    assert TEXTS["--version"] == run_fresh(checkout, "--version").stdout
    result = run_fresh(checkout)
    assert (exit_codes.BAD_INPUT, TEXTS[""]) == (result.returncode, result.stderr)
    assert exit_codes.BAD_INPUT == recorded_help.BAD_INPUT


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("", ""),
        ("-h", ""),
        ("--version", "--version"),
        ("check -h", "check"),
        ("check conf --help", "check"),
        ("export --help", "export"),
        ("export itf --out x --help", "export itf"),
        ("test --help", "test"),
        ("test -k timeline --help", None),
        ("check -- --help", None),
        ("check conf", None),
        ("chek --help", None),
    ],
)
def test_lines_that_ask_for_help(line: str, key: str | None) -> None:
    """Others are left to the program; what follows ``test`` goes to pytest."""
    assert key == recorded_help.find_key(line.split(), TEXTS)


def test_every_verb_is_recorded() -> None:
    """Those below a verb too, with the texts that the program prints."""
    assert {*VERBS, "", "--version", "export itf"} <= set(TEXTS)
    assert dict(list_texts()) == TEXTS
    assert recorded_help.FILE.read_text(encoding="utf-8") == render_help_texts()


@pytest.mark.parametrize("verb", VERBS)
def test_the_program_prints_the_recorded_text(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    assert TEXTS[verb] == run(verb, "--help").stdout

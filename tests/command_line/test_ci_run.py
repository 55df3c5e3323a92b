"""What CI does: it makes the environment, then runs the tests as a stranger's machine would."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_line.run import ROOT

PROGRAM = """#!{python}
import json, os, sys
from pathlib import Path
told = dict(os.environ)
call = {{"words": sys.argv[1:], "told": told, "is_home_empty": not os.listdir(told["HOME"])}}
with Path("{log}").open("a") as log:
    print(json.dumps(call), file=log)
sys.exit("{failing}" == " ".join(sys.argv[1:]))
"""
"""In place of ./rmqspec: it writes down how it is called."""

CURRENT = "renew --check"
SLICE = "test --nightly-slice --nightly-seconds 20"

OF_THE_SHELL = {"PWD", "SHLVL", "_", "LC_CTYPE"}
"""Variables that a shell or the interpreter sets by itself."""


def run_ci(
    folder: Path, more: Mapping[str, str], failing: str = "nothing"
) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of ``.ci/run``, and each call of the program with what it is told."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "bin").mkdir()
    log = folder / "log"
    program = PROGRAM.format(python=sys.executable, log=log, failing=failing)
    for path, text in ((folder / "rmqspec", program), (folder / "bin" / "spin", "#!/bin/sh\n")):
        path.write_text(text)
        path.chmod(stat.S_IRWXU)
    usual = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
    result = subprocess.run([folder / ".ci" / "run"], env={**usual, **more}, check=False)
    return result.returncode, [json.loads(line) for line in log.read_text().splitlines()]


def test_tests_and_floor_know_no_variable(tmp_path: Path) -> None:
    """Installing may need what the machine says; the rest gets four variables, a home is empty."""
    code, calls = run_ci(tmp_path, {"PIP_CERT": "a", "PYTHONUNBUFFERED": "1", "CI": "true"})
    assert 0 == code
    words = [["test", "--version"], ["test"], CURRENT.split(), SLICE.split(), ["bench", "--floor"]]
    assert words == [call["words"] for call in calls]
    assert "a" == calls[0]["told"]["PIP_CERT"]
    for call in calls[1:]:
        told = call["told"]
        assert {"HOME", "PATH", "LANG", "CI"} == set(told) - OF_THE_SHELL
        assert ("C.UTF-8", "true") == (told["LANG"], told["CI"])
        assert call["is_home_empty"]
        assert not Path(told["HOME"]).exists()


@pytest.mark.parametrize("java", ["", "/opt/java with a blank"])
def test_java_is_told_where_it_is_set(java: str, tmp_path: Path) -> None:
    """As one word; nothing is made up."""
    _, calls = run_ci(tmp_path, {"JAVA_HOME": java})
    assert (java or None) == calls[1]["told"].get("JAVA_HOME")
    assert "CI" not in calls[1]["told"]


@pytest.mark.parametrize(
    ("failing", "count"),
    [("test --version", 1), ("test", 2), (CURRENT, 3), (SLICE, 4), ("bench --floor", 5)],
)
def test_what_fails_fails_the_run(failing: str, count: int, tmp_path: Path) -> None:
    """Whatever of the steps fails; the home is removed all the same."""
    code, calls = run_ci(tmp_path, {}, failing)
    assert 1 == code
    assert count == len(calls)
    assert not any(Path(c["told"]["HOME"]).exists() for c in calls[1:])

"""What the small environment of ./rmqspec is enough for; the rest says in a line what it needs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from command_line.main import VERBS
from tests.command_line.run import ROOT, leave_out_progress
from tests.structures import leave_most_to_night

WITHOUT_EXTRAS = """
import sys
EXTRAS = {"numpy", "pandas", "pyarrow", "pyspark", "jinja2", "hypothesis", "sphinx"}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from command_line.main import main
sys.argv[0] = "rmqspec"
main()
"""
"""The program, with the packages of the extras hidden."""


def list_full_verbs() -> set[str]:
    """The verbs for which the script installs everything."""
    script = (ROOT / "rmqspec").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"^(fuzz.*)\) extras=", script, re.MULTILINE)
    return {word.rstrip("*") for word in re.findall(r"[a-z]+\*", pattern)}


def run_without_extras(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A verb in a process that has the core packages only."""
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.parametrize("verb", leave_most_to_night(VERBS, 7))
def test_help_needs_no_more_than_the_script_installs(verb: str) -> None:
    """A verb that is not installed with everything works without it; the others may say so."""
    result = run_without_extras(verb, "--help")
    if verb in list_full_verbs() and result.returncode:
        assert 4 == result.returncode
        (line,) = leave_out_progress(result.stderr).splitlines()
        assert "./rmqspec" in line
    else:
        assert 0 == result.returncode, result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", "--structure", "ASYNC_MASTER/ASYNC_FLUSH/0 slaves"),
        ("explain", "message_is_stored_once", "none"),
        ("issues", "6767"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_pages_tell_to_type_works_at_once(arguments: tuple[str, ...]) -> None:
    """The commands of the counterexample pages, in the environment that `check` has made."""
    result = run_without_extras(*arguments)
    assert 0 == result.returncode, result.stderr
    assert result.stdout

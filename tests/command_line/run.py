"""Run the entry point as a user does: in this process, or in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest

from command_line.main import main
from command_line.output.progress import PREFIX

ROOT = Path(__file__).parents[2]
CONF = ROOT / "tests" / "data" / "conf"


def run(
    *arguments: object,
    env: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    text: str = "",
) -> subprocess.CompletedProcess[str]:
    """``rmqspec ARGUMENTS`` in a folder, given a text, with its output.

    It runs in this process, which has imported the rest once.
    """
    words = ["rmqspec", *map(str, arguments)]
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", words)
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode())))
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as end:
            main()
    code = end.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(
        words, code, out.getvalue(), leave_out_progress(err.getvalue())
    )


def leave_out_progress(said: str) -> str:
    """What was said on standard error, without the lines that say what takes long."""
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(PREFIX))


def run_process(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own: slow, and with nothing imported before."""
    words = [sys.executable, "-m", "command_line", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    result.stderr = leave_out_progress(result.stderr)
    return result


def assert_one_line(result: subprocess.CompletedProcess[str], code: int) -> str:
    """A failure is one line on standard error, nothing on standard output, no traceback."""
    assert code == result.returncode, result.stderr
    assert "Traceback" not in result.stderr
    assert "" == result.stdout
    assert 1 == len(result.stderr.splitlines()), result.stderr
    assert result.stderr.startswith("rmqspec: ")
    return result.stderr

"""Run the entry point as a user does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONF = ROOT / "tests" / "data" / "conf"


def run(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``rmqspec ARGUMENTS`` with its output."""
    words = [sys.executable, "-m", "command_line", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    return subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=cwd or ROOT, env=environment
    )


def assert_one_line(result: subprocess.CompletedProcess[str], code: int) -> str:
    """A failure is one line on standard error, nothing on standard output, no traceback."""
    assert code == result.returncode, result.stderr
    assert "Traceback" not in result.stderr
    assert "" == result.stdout
    assert 1 == len(result.stderr.splitlines()), result.stderr
    assert result.stderr.startswith("rmqspec: ")
    return result.stderr

"""Pytest in a process of its own, in the project."""

from __future__ import annotations

import subprocess
import sys

from tests.nightly.slices import ROOT


def run_pytest(*words: str) -> subprocess.CompletedProcess[str]:
    """What it says, whatever its code is; it leaves no cache behind."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

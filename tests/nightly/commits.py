"""How many commits there are: their number says whose turn it is."""

from __future__ import annotations

import subprocess
from pathlib import Path


def count_commits(folder: Path) -> tuple[int, str]:
    """The number of commits, or 0 with the reason where they cannot be counted."""
    try:
        if ask(folder, "rev-parse", "--is-shallow-repository") != "false":
            return 0, " (this clone is shallow, so its commits are not counted)"
        return int(ask(folder, "rev-list", "--count", "HEAD")), ""
    except (OSError, ValueError, subprocess.CalledProcessError):
        return 0, " (git counts no commits here)"


def ask(folder: Path, *words: str) -> str:
    """What git answers."""
    result = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
    )
    return result.stdout.strip()

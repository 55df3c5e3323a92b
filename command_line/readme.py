"""The outputs shown in README.md: what its commands really print."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from command_line.check import command as check

WIDTH = 120
BLOCK = re.compile(
    r"(<!-- begin output: (?P<words>[^>]*) -->\n```text\n).*?(```\n<!-- end output -->)", re.DOTALL
)


def get_readme() -> Path:
    """Where README.md lies."""
    return Path(__file__).parents[1] / "README.md"


def update_readme(text: str) -> str:
    """README.md with every output as it should be."""
    return BLOCK.sub(lambda block: f"{block[1]}{compute_output(block['words'])}{block[3]}", text)


def compute_output(words: str) -> str:
    """What ``rmqspec check`` prints for these arguments, without trailing blanks."""
    arguments = words.removeprefix("rmqspec check").split()
    result = CliRunner().invoke(check, arguments, env={"COLUMNS": str(WIDTH), "NO_COLOR": "1"})
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return "\n".join(lines) + "\n"

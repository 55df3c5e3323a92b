"""The outputs shown in README.md: what its commands really print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from click.testing import CliRunner

from command_line.check import command as check
from properties.generated_text import ROOT

README = ROOT / "README.md"

WIDTH = 120
BLOCK = re.compile(
    r"(?P<head><!-- begin output: (?P<words>[^,>]*)(, from \"(?P<first>[^\"]*)\")?"
    r"(, up to \"(?P<last>[^\"]*)\")? -->\n```text\n).*?(?P<tail>```\n<!-- end output -->)",
    re.DOTALL,
)
"""A shown output, perhaps only the lines from one that begins so up to one that begins so."""


def update_readme(text: str) -> str:
    """README.md with every output as it should be."""
    return BLOCK.sub(lambda block: f"{block['head']}{render_block(block)}{block['tail']}", text)


def render_block(block: re.Match[str]) -> str:
    """The lines of an output that a block shows. Raises LookupError when it has no such lines."""
    lines = compute_output(block["words"])
    first = find_line(lines, block["first"]) if block["first"] else 0
    last = find_line(lines, block["last"]) if block["last"] else len(lines)
    return "\n".join(lines[first:last]).rstrip() + "\n"


def find_line(lines: Sequence[str], beginning: str) -> int:
    """The index of the first line that begins so, blanks aside."""
    for index, line in enumerate(lines):
        if line.lstrip().startswith(beginning):
            return index
    raise LookupError(f"no line of the output begins with {beginning!r}")


@cache
def compute_output(words: str) -> tuple[str, ...]:
    """What ``rmqspec check`` prints for these arguments, without trailing blanks."""
    arguments = words.removeprefix("rmqspec check").split()
    result = CliRunner().invoke(check, arguments, env={"COLUMNS": str(WIDTH), "NO_COLOR": "1"})
    return tuple(line.rstrip() for line in result.stdout.splitlines())

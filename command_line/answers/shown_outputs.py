"""Outputs in README.md and in the chapter for re-implementers.

README.md has the real output of its commands; the chapter has answers of ``rmqspec trace``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from book.implementers.implementers_page import CHAPTER, PARTS
from command_line.check import command as check
from command_line.trace import command as trace
from properties.checkout import ROOT
from properties.generated_text import Page

README = ROOT / "README.md"

WIDTH = 120
"""Of the tables; the short answer is shown as an ordinary terminal has it."""

TERMINAL_WIDTH = 80
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
    """What ``rmqspec check`` prints for these arguments, without trailing blanks.

    Raises whatever the verb does not handle, so that no page shows the output of a defect.
    """
    arguments = words.removeprefix("rmqspec check").split()
    is_short = "--timelines" not in arguments and "--all" not in arguments
    width = TERMINAL_WIDTH if is_short else WIDTH
    terminal = {"COLUMNS": str(width), "NO_COLOR": "1"}
    result = CliRunner(catch_exceptions=False).invoke(check, arguments, env=terminal)
    return tuple(line.rstrip() for line in result.stdout.splitlines())


RIGHT, WRONG = "right.jsonl", "wrong.jsonl"
"""The recording of the chapter, and a copy with one impossible event."""

CHANGE = ('"put_status": "SLAVE_NOT_AVAILABLE"', '"put_status": "PUT_OK"')
"""What is wrong in the second."""


def find_recording() -> str:
    """The recording that stands in the chapter."""
    return CHAPTER.read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0]


def render_answer(recording: str, file: str, *options: str) -> str:
    """What the verb prints about a recording in a file of this name, as a block."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path(file).write_text(recording, encoding="utf-8")
        result = CliRunner().invoke(trace, [file, *options], standalone_mode=False)
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return "\n".join(["```text", *lines, f"exit code {result.return_value}", "```"])


PAGE = Page(
    CHAPTER,
    {
        **PARTS,
        "right": lambda: render_answer(find_recording(), RIGHT),
        "wrong": lambda: render_answer(find_recording().replace(*CHANGE), WRONG),
    },
)
"""The chapter."""

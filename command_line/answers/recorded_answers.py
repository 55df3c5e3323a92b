"""The chapter for re-implementers: its generated parts, with what ``rmqspec trace`` answers."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from book.implementers.implementers_page import CHAPTER, PARTS
from command_line.trace import command as trace
from properties.generated_text import Page

RIGHT, WRONG = "right.jsonl", "wrong.jsonl"
"""The recording of the chapter, and the same with one event that cannot be."""

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

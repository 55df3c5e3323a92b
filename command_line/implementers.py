"""The chapter for re-implementers: its generated parts, with what ``rmqspec trace`` answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from command_line.trace import command as trace
from properties.book import implementers_page
from properties.generated_text import replace_parts

CHAPTER = implementers_page.CHAPTER

RIGHT, WRONG = "right.jsonl", "wrong.jsonl"
"""The recording of the chapter, and the same with one event that cannot be."""

CHANGE = ('"put_status": "SLAVE_NOT_AVAILABLE"', '"put_status": "PUT_OK"')
"""What is wrong in the second."""


def find_recording(text: str) -> str:
    """The recording that stands in the chapter."""
    return text.partition("```json\n")[2].partition("```")[0]


def render_answer(recording: str, file: str, *options: str) -> str:
    """What the verb prints about a recording in a file of this name, as a block."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path(file).write_text(recording, encoding="utf-8")
        result = CliRunner().invoke(trace, [file, *options], standalone_mode=False)
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    return "\n".join(["```text", *lines, f"exit code {result.return_value}", "```"])


def list_parts(text: str) -> Mapping[str, Callable[[], str]]:
    """Every generated part of this text, by its marker."""
    right = find_recording(text)
    return {
        **implementers_page.GENERATED,
        "right": partial(render_answer, right, RIGHT),
        "wrong": partial(render_answer, right.replace(*CHANGE), WRONG),
    }


def update(text: str) -> str:
    """The chapter with every generated part as it should be."""
    parts = list_parts(text)
    return replace_parts(text, lambda name: parts[name]())

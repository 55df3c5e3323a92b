"""How wide output may be: a terminal's columns, or COLUMNS; a pipe sets no limit."""

from __future__ import annotations

import shlex
import shutil
import textwrap

import click

WIDTH_MIN = 60
"""A narrower terminal is treated as one of this width."""

PROSE_WIDTH_MAX = 100
"""Longer lines of prose are hard to read."""

DRAWING_WIDTH = 120
"""The width of a drawing among prose in a pipe."""


def get_width() -> int | None:
    """The columns of the terminal, or COLUMNS; None in a pipe, where every line stays whole."""
    columns = shutil.get_terminal_size((0, 0)).columns
    return max(columns, WIDTH_MIN) if columns else None


def get_drawing_width() -> int:
    """The width of a drawing among prose: it is read in a pipe as well."""
    return get_width() or DRAWING_WIDTH


def get_prose_width() -> int:
    """The length of a line of prose."""
    return min(get_width() or PROSE_WIDTH_MAX, PROSE_WIDTH_MAX)


def wrap(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Lines of at most this width; a word that is longer stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def echo(text: str = "") -> None:
    """Print a text; a line that is too long for the terminal goes on below, indented further."""
    width = get_width()
    lines = text.split("\n")
    click.echo("\n".join(lines if width is None else (fit_line(each, width) for each in lines)))


def fit_line(line: str, width: int) -> str:
    """A line in as many lines as it needs."""
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return "\n".join(wrap(line.lstrip(), width, indent, f"{indent}  "))


def wrap_command(command: str, indent: str) -> list[str]:
    """A command in lines that a shell takes as one; a single line in a pipe."""
    width = get_width()
    if width is None:
        return [indent + command]
    return wrap_words(command, width, indent, f"{indent}  ")


def wrap_words(command: str, width: int, first: str, later: str) -> list[str]:
    """A command in lines of at most this width, which a shell takes as one.

    A word stays whole with its quotes, even if it is longer.
    """
    lines, line = [], first
    for word in map(shlex.quote, shlex.split(command)):
        longer = f"{line}{word}" if line in {first, later} else f"{line} {word}"
        if len(longer) > width - 2 and line not in {first, later}:
            lines.append(f"{line} \\")
            longer = f"{later}{word}"
        line = longer
    return [*lines, line]

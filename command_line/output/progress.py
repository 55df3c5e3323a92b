"""One line of progress on standard error, overwritten in place; silent where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click


class ProgressLine:
    """Writes over its own last text on a terminal; stays silent elsewhere."""

    def __init__(self) -> None:
        self.is_watched = sys.stderr.isatty()
        self.length = 0

    def __call__(self, text: str) -> None:
        """Show a text in place of the last one."""
        if self.is_watched:
            click.echo("\r" + text.ljust(self.length), nl=False, err=True)
            self.length = len(text)

    def clear(self) -> None:
        """Remove the line."""
        if self.is_watched and self.length:
            click.echo("\r" + " " * self.length + "\r", nl=False, err=True)
            self.length = 0


@contextmanager
def show_progress() -> Iterator[ProgressLine]:
    """A progress line that is gone afterwards."""
    line = ProgressLine()
    try:
        yield line
    finally:
        line.clear()

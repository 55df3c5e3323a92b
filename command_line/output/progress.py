"""One line of progress on standard error: overwritten on a terminal, now and then in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

SILENT_SECONDS = 2.0
"""How long nothing may be said: so much later than the last word a pipe gets a line."""


class ProgressLine:
    """Writes over its own last text on a terminal; elsewhere a line when it was silent for long."""

    def __init__(self, *, is_told: bool = False) -> None:
        self.is_watched = sys.stderr.isatty()
        self.is_told = is_told
        """Where nobody watches a line is written now and then."""
        self.length = 0
        self.last_seconds = time.monotonic()

    def __call__(self, text: str) -> None:
        """Show a text in place of the last one."""
        if self.is_watched:
            click.echo("\r" + text.ljust(self.length), nl=False, err=True)
            self.length = len(text)
        elif self.is_told and time.monotonic() - self.last_seconds > SILENT_SECONDS:
            click.echo(f"... {text}", err=True)
            self.last_seconds = time.monotonic()

    def clear(self) -> None:
        """Remove the line."""
        if self.is_watched and self.length:
            click.echo("\r" + " " * self.length + "\r", nl=False, err=True)
            self.length = 0


@contextmanager
def show_progress(*, is_told: bool = False) -> Iterator[ProgressLine]:
    """A progress line that is gone afterwards; ``is_told`` writes some into a pipe as well."""
    line = ProgressLine(is_told=is_told)
    try:
        yield line
    finally:
        line.clear()

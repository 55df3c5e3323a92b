"""One line of progress on standard error, and work on many structures, a process each, under it.

The line is overwritten in place, and silent where nobody watches.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

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


Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE_SECONDS = 0.3
"""How often the line of progress is written anew."""

_texts: Any = None


def run_all(
    work: Callable[[Item, Callable[[str], None]], Result],
    items: Sequence[Item],
    progress: ProgressLine,
    jobs: int = 0,
) -> Iterator[tuple[Item, Result]]:
    """Each item with its result, as results come; ``work`` is called with a reporter of progress.

    ``jobs`` processes, one per core where it is 0. What a process raises is raised here. One item
    is worked on in this process.
    """
    if len(items) == 1:
        yield items[0], work(items[0], progress)
        return
    context = multiprocessing.get_context("spawn")
    texts = context.Queue()
    count = jobs or os.cpu_count() or 1
    with ProcessPoolExecutor(count, context, initializer=_begin, initargs=(texts,)) as pool:
        open_work = {pool.submit(_work, work, item): item for item in items}
        try:
            yield from _collect(open_work, texts, progress, len(items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _collect(
    open_work: dict[Future[Result], Item], texts: Any, progress: ProgressLine, total: int
) -> Iterator[tuple[Item, Result]]:
    while open_work:
        finished, _ = wait(open_work, PATIENCE_SECONDS, return_when=FIRST_COMPLETED)
        for future in finished:
            progress.clear()
            yield open_work.pop(future), future.result()
        if (text := _read_last(texts)) is not None:
            progress(f"{total - len(open_work)} of {total} done; {text}")


def _read_last(texts: Any) -> str | None:
    last = None
    try:
        while True:
            last = texts.get_nowait()
    except queue.Empty:
        return last


def _begin(texts: Any) -> None:
    global _texts  # noqa: PLW0603
    _texts = texts


def _work(work: Callable[[Item, Callable[[str], None]], Result], item: Item) -> Result:
    return work(item, _texts.put)

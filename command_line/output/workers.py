"""Work on many structures, a process each, under one line of progress."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, TypeVar

from command_line.output.progress import ProgressLine
from spark_fuzz.processes import deaf_to_ctrl_c

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE_SECONDS = 0.3
"""How often progress is read from the workers."""

_texts: Any = None


def run_all(
    work: Callable[[Item, Callable[[str], None]], Result],
    items: Sequence[Item],
    progress: ProgressLine,
    jobs: int = 0,
) -> Iterator[tuple[Item, Result]]:
    """Each item with its result, as results come; ``work`` is called with a reporter of progress.

    ``jobs`` is the number of processes, 0 for one per core. What a process raises is raised here. A
    single item is worked on in this process.
    """
    if len(items) == 1:
        yield items[0], work(items[0], progress)
        return
    context = multiprocessing.get_context("spawn")
    texts = context.Queue()
    count = jobs or os.cpu_count() or 1
    with ProcessPoolExecutor(count, context, initializer=_begin, initargs=(texts,)) as pool:
        with deaf_to_ctrl_c():
            open_work = {pool.submit(_work, work, item): item for item in items}
        try:
            yield from _collect(open_work, texts, progress, len(items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _collect(
    open_work: dict[Future[Result], Item], texts: Any, progress: ProgressLine, total: int
) -> Iterator[tuple[Item, Result]]:
    text = ""
    while open_work:
        finished, _ = wait(open_work, PATIENCE_SECONDS, return_when=FIRST_COMPLETED)
        for future in finished:
            progress.clear()
            yield open_work.pop(future), future.result()
        done = total - len(open_work)
        text = _read_last(texts) or text
        progress.advance(done, total, f"{done} of {total} done{f'; {text}' if text else ''}")


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

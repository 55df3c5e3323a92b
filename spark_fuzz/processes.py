"""Processes that work for this one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that are started inside never hear Ctrl-C, which reaches a whole group of them.

    The one that starts them ends them. It hears it when it has left this context.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

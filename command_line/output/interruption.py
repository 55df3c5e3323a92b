"""Ctrl-C and SIGTERM: this process ends where it is, with one line and exit code 130.

Nothing is raised, because an exception would get lost in a callback, or in a library that catches
everything. It is not needed either: a verb puts whole files in place, so whatever moment a signal
comes at, what lies on disk is what a kill would leave. Processes that this one has started end
before it does.

This module is imported before all others, so it imports little.
"""

from __future__ import annotations

import atexit
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from command_line.output.descendants import find_tracker, kill_descendants
from command_line.output.exit_codes import INTERRUPTED

SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""What ends a verb in order."""
PATIENCE_SECONDS = 2.0
"""How long temporary folders may take to be removed."""

Describe = Callable[[], str]


class Ending:
    """What an interruption says and does, as it is set up so far."""

    describe: Describe = staticmethod(
        lambda: "interrupted before anything was done; the same command begins again"
    )
    fall_silent: Callable[[], None] = staticmethod(lambda: None)
    """Ends the progress, so that the line is the last one."""
    pid = 0
    """The process whose signals are handled; none at first."""
    turns = itertools.count()
    """Counts the signals; more than one may come."""
    errors = 2
    """Where the line goes: standard error, which only it reaches once an end has begun."""
    has_said = False


def end_when_interrupted() -> None:
    """From now on a signal ends this process, also one that was held back while it started."""
    Ending.pid = os.getpid()
    for number in SIGNALS:
        signal.signal(number, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def say_when_interrupted(describe: Describe) -> None:
    """From now on an interruption is reported by this text: what was kept, and how to go on.

    It is called when all other processes have ended, and imports nothing.
    """
    Ending.describe = staticmethod(describe)


def silence_when_interrupted(fall_silent: Callable[[], None]) -> None:
    """From now on this ends the progress before an interruption is reported."""
    Ending.fall_silent = staticmethod(fall_silent)


@contextmanager
def raised_when_interrupted() -> Iterator[None]:
    """Inside, a signal raises KeyboardInterrupt: something has to be undone."""
    usual = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def end(_number: int, _frame: FrameType | None) -> None:
    """End this process. A further signal does not wait for temporary folders to be removed."""
    if os.getpid() != Ending.pid:
        os._exit(INTERRUPTED)  # A copy of this process that has not become another program yet.
    is_first = next(Ending.turns) == 0
    if is_first:
        silence_the_rest()
    kill_descendants(spared=find_tracker())
    say()
    if is_first:
        remove_temporary_folders()
    kill_descendants()
    os._exit(INTERRUPTED)


def silence_the_rest() -> None:
    """Let only the line be written: threads complain about processes that are killed."""
    with suppress(Exception):
        Ending.fall_silent()
    with suppress(OSError):
        Ending.errors = os.dup(2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def say() -> None:
    """Write the line, once. The streams may be in the middle of something, so it goes past them."""
    try:
        text = Ending.describe()
    except Exception:
        text = "interrupted"
    line = f"rmqspec: {' '.join(text.split())}\n".encode()
    # A signal that has come already is answered inside this call, and none after it.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    if not Ending.has_said:
        Ending.has_said = True
        try:
            os.write(Ending.errors, line)
        except OSError:
            return


def remove_temporary_folders() -> None:
    """Do what is done at every end of the interpreter, but not for ever."""
    timer = threading.Timer(PATIENCE_SECONDS, os._exit, (INTERRUPTED,))
    timer.daemon = True
    timer.start()
    with suppress(BaseException):
        atexit._run_exitfuncs()

"""Standard streams whose reader has gone: only they end the program, and quietly.

The interpreter ignores SIGPIPE, and no verb changes that: a socket or a pipe that its other end has
closed is an error of that socket, which its owner handles. Where standard output or standard error
is closed, as by ``| head -1``, the program ends as if it had the default action of the signal.
"""

from __future__ import annotations

import os
import signal


class OutputClosedError(BaseException):
    """Nobody reads standard output, or standard error, any more.

    No ``Exception``, so that nothing on the way takes it for the failure of a file or of a socket.
    """


def end_quietly() -> None:
    """End this process by SIGPIPE, as a program does that prints into ``head``."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)


def reserve_numbers() -> None:
    """Keep the numbers 0 to 2 for standard streams where the parent process has closed them.

    Otherwise the first file that is opened has such a number, and what a child process writes to
    its standard output goes into that file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)

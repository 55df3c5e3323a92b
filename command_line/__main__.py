"""``python -m command_line`` is ``rmqspec``."""

import atexit
import os

from command_line.output.descendants import kill_descendants
from command_line.output.interruption import end_when_interrupted


def run_and_end() -> None:
    """Run the program, then end the process without freeing its memory term by term.

    The interpreter would need seconds for that, in silence. ``main`` has flushed both streams.
    Java would end a moment later than this process.
    """
    end_when_interrupted()
    from command_line.main import main  # noqa: PLC0415

    try:
        main()
    except SystemExit as end:
        atexit._run_exitfuncs()
        kill_descendants()
        os._exit(end.code if isinstance(end.code, int) else 1)


if __name__ == "__main__":
    run_and_end()

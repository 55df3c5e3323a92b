"""Settings of a whole process: each place that changes one, and why it may.

A signal's action, a limit or a mode that suits a verb which prints and ends may end a verb that
serves sockets, in silence. So nothing is set for all verbs, and every place is listed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.test_house import ROOMS, ROOT

SETTERS = {
    "signal": ("signal", "setitimer", "alarm", "pthread_sigmask", "siginterrupt"),
    "loop": ("add_signal_handler",),
    "resource": ("setrlimit", "prlimit"),
    "sys": ("setrecursionlimit", "setswitchinterval", "settrace", "setprofile"),
    "gc": ("disable", "freeze", "set_threshold"),
    "locale": ("setlocale",),
    "os": ("umask", "chdir", "nice", "setsid", "putenv", "unsetenv"),
    "socket": ("setdefaulttimeout",),
    "warnings": ("simplefilter", "filterwarnings"),
    "logging": ("basicConfig", "disable"),
    "faulthandler": ("enable", "register"),
    "stdout": ("reconfigure",),
    "stderr": ("reconfigure",),
    "stdin": ("reconfigure",),
    "asyncio": ("set_event_loop_policy",),
    "multiprocessing": ("set_start_method",),
}
"""What sets something for a process, by the name before the dot."""

NAMES = "|".join(name for names in SETTERS.values() for name in names)
HINT = re.compile(rf"environ\[|\.({NAMES})\(|import .*\b({NAMES})\b")
"""A file without it sets nothing, and need not be parsed."""

PLACES = {
    "command_line/output/interruption.py: signal.pthread_sigmask": "one line is written",
    "command_line/output/interruption.py: signal.signal": "a verb ends with a line",
    "command_line/output/standard_streams.py: signal.signal": "the process ends in the next line",
    "properties/vectors/kill_rates/measuring.py: signal.setitimer": "a measurement",
    "properties/vectors/kill_rates/measuring.py: signal.signal": "a measurement",
    "properties/vectors/kill_rates/measuring.py: sys.settrace": "a measurement, taken back",
    "brokers/broker/sockets/running.py: loop.add_signal_handler": "broker stops in order",
    "brokers/conformance/running.py: gc.disable": "conform, while a case is played",
    "brokers/recorder/recorder.py: loop.add_signal_handler": "record ends in order",
    "spark_fuzz/campaign/job.py: gc.freeze": "a worker of Spark",
    "spark_fuzz/campaign/session.py: logging.disable": "fuzz: failures are exceptions already",
    "spark_fuzz/campaign/session.py: os.environ": "fuzz: what Spark's processes read",
    "spark_fuzz/judges/planted_run.py: resource.setrlimit": "a child process that may run away",
    "spark_fuzz/processes.py: signal.pthread_sigmask": "children do not begin with a signal",
}
"""Every place, and what it is for."""


def list_settings(module: ast.Module) -> Iterator[str]:
    """Calls and assignments that set something for the process."""
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and any(map(is_of_environment, node.targets)):
            yield "os.environ"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if node.func.attr in SETTERS.get(name, ()):
                yield f"{name}.{node.func.attr}"


def is_of_environment(target: ast.expr) -> bool:
    """A variable of the process's environment."""
    owner = target.value if isinstance(target, ast.Subscript) else None
    return isinstance(owner, ast.Attribute) and owner.attr == "environ"


def list_imports(module: ast.Module) -> Iterator[str]:
    """Imports that would hide such a call."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in SETTERS.get(node.module or "", ()):
                    yield f"{node.module}.{alias.name}"


def test_every_setting_of_a_process_is_known() -> None:
    """A new one needs a line here; one that is gone has none."""
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    trees = {file: ast.parse(text) for file, text in texts.items() if HINT.search(text)}
    found = {f"{file}: {each}" for file, tree in trees.items() for each in list_settings(tree)}
    assert sorted(PLACES) == sorted(found)
    assert [] == [file for file, tree in trees.items() if list(list_imports(tree))]


def test_a_setting_is_found() -> None:
    """However it is written."""
    text = "signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nsys.stdout.reconfigure()\n"
    text += "os.environ['A'] = 'b'"
    expected = ["os.environ", "signal.signal", "stdout.reconfigure"]
    assert HINT.search(text)
    assert expected == sorted(list_settings(ast.parse(text)))
    assert ["os.umask"] == list(list_imports(ast.parse("from os import umask")))
    assert HINT.search("from os import path, umask")

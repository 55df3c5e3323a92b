"""The examples in chapters about the code do what the text says."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from properties.checkout import ROOT
from properties.generated_text import SPEC
from tests.brokers.broker.plain_client import PlainClient
from tests.command_line.closing_peers import start
from tests.command_line.test_record import find_ports

BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WHOLE_FILE = re.compile(
    r"`(test_\w+\.py)` and run.*?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
FILE_LINES_MAX = 30


def run_copied(folder: Path, name: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of a file that was copied out of a text."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", name],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(name, marks=pytest.mark.xdist_group("kernels"))
        for name in ("tutorial.md", "python_api.md")
    ],
)
def test_examples_print_what_the_chapter_shows(chapter: str, tmp_path: Path) -> None:
    """Every block in order, with the names that earlier blocks have made, and an empty folder."""
    text = (SPEC / chapter).read_text(encoding="utf-8")
    parser = doctest.DocTestParser()
    examples = [
        doctest.Example(e.source, e.want, e.exc_msg, text[: block.start()].count("\n") + e.lineno)
        for block in BLOCK.finditer(text)
        for e in parser.get_examples(block[1])
    ]
    assert examples
    told: list[str] = []
    test = doctest.DocTest(
        examples, {"folder": str(tmp_path)}, chapter, str(SPEC / chapter), 1, None
    )
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append).failed
    assert not failed, "".join(told)


@pytest.mark.nightly
def test_the_file_to_copy_runs_as_it_is(tmp_path: Path) -> None:
    """The first example of the Python API, saved in an empty folder and run by pytest."""
    found = WHOLE_FILE.search((SPEC / "python_api.md").read_text(encoding="utf-8"))
    assert found
    name, text = found.groups()
    assert FILE_LINES_MAX >= len(text.splitlines())
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = run_copied(tmp_path, name)
    assert 0 == result.returncode, result.stdout + result.stderr
    assert "2 passed" in result.stdout


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("slave kill", 0, "1 passed"),
        ("master power loss", 1, "slave_is_never_ahead does not hold after 8 steps"),
    ],
)
def test_the_readmes_example_for_testers_runs(
    tmp_path: Path, fault: str, code: int, said: str
) -> None:
    """As it is, and with the fault that the text says breaks it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = readme.partition("## For testers")[2].partition("```python\n")[2].partition("```")[0]
    assert '"slave kill"' in text
    (tmp_path / "test_pair.py").write_text(text.replace("slave kill", fault), encoding="utf-8")
    result = run_copied(tmp_path, "test_pair.py")
    assert (result.returncode, said in result.stdout) == (code, True), result.stdout


MASTER_OF_OURS = ("broker", "--role", "ASYNC_MASTER", "--store", "m")
SMALL = ("--set", "mapedFileSizeCommitLog=16384", "--set", "haSendHeartbeatInterval=300")


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        ((), "1 passed"),
        pytest.param(
            ("--mutant", "zero_is_the_first_file"), "asked for 0", marks=pytest.mark.nightly
        ),
    ],
    ids=["right", "wrong"],
)
def test_the_machine_for_a_broker_drives_one(
    tmp_path: Path, mutant: tuple[str, ...], said: str
) -> None:
    """The file to copy, run by pytest against a broker of ours, and one that is wrong."""
    text = (SPEC / "python_api.md").read_text(encoding="utf-8")
    code = text.partition("## Drive your own broker")[2].partition("```python\n")[2]
    (tmp_path / "test_my_broker.py").write_text(code.partition("```")[0], encoding="utf-8")
    port = find_ports()
    words = (*MASTER_OF_OURS, "--listen-port", port, *SMALL, *mutant)
    with start(tmp_path, "listens", *words):
        client = PlainClient(port)
        for _ in range(12):
            assert client.send("T", bytes(2000)).code == 0
        client.close()
        result = run_copied(
            tmp_path,
            "test_my_broker.py",
            MY_BROKER=f"127.0.0.1:{port + 1}",
            MY_FILE_BYTES="16384",
        )
    assert said in result.stdout, result.stdout + result.stderr
    assert (result.returncode == 0) == (not mutant)

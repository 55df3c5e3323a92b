"""Vectors asked of drivers: right, wrong, incomplete, and unusable ones."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from properties.vectors.archive import DRIVERS, Archive, ArchiveError, make_archive
from properties.vectors.differences import ABSENT, compare, list_differences
from properties.vectors.run import Run, run_vectors
from properties.vectors.sets.copying import COPYING
from properties.vectors.sets.progress import PROGRESS

REFERENCE = f"{sys.executable} -m properties.vectors.drivers.reference_driver"
HEAD = """
import json, sys, time
def tell(told):
    print(json.dumps(told), flush=True)
lines = iter(sys.stdin)
hello = json.loads(next(lines))["hello"]
"""
GREETING = "tell({'hello': {'protocol': 1, 'name': 'a test'}})\n"


@pytest.fixture(scope="module")
def archive() -> Archive:
    """An archive of two sets."""
    return make_archive(lambda text: None, (PROGRESS, COPYING))


def run_script(archive: Archive, folder: Path, script: str, timeout_seconds: float = 20.0) -> Run:
    """The run of a driver that is a script."""
    file = folder / "driver.py"
    file.write_text(HEAD + script)
    command = f"{sys.executable} {file}"
    names = ("progress",)
    return run_vectors(archive, command, "4.4.0", names=names, timeout_seconds=timeout_seconds)


def test_the_reference_answers_everything(archive: Archive) -> None:
    """Every question of every set, and what it hears is the number of answers."""
    heard = []
    run = run_vectors(
        archive, REFERENCE, "4.9.8", tell=lambda done, total, name: heard.append((done, total))
    )
    assert run.problem == ""
    assert run.driver == "the reference"
    assert [(each.name, each.alike) for each in run.sets] == [
        (each.name, each.total) for each in run.sets
    ]
    total = sum(each.total for each in run.sets)
    assert heard == [(number, total) for number in range(total)]


def test_a_wrong_answer_names_field_rule_and_section(archive: Archive, tmp_path: Path) -> None:
    """The expected value and the given one; all other questions are unsupported."""
    run = run_script(
        archive,
        tmp_path,
        GREETING
        + """
for number, line in enumerate(lines):
    asked = json.loads(line)
    if number:
        tell({"id": asked["id"], "unsupported": True})
    else:
        tell({"id": asked["id"], "answer": {"code": 99, "offset": "x", "more": [1]}})
""",
    )
    (result,) = run.sets
    assert run.problem == ""
    assert (result.alike, result.different, result.unsupported) == (0, 1, result.total - 1)
    assert [d.field for d in result.differences] == ["code", "offset", "more"]
    first = result.differences[0]
    vector = next(archive.read_vectors(archive.list_files("4.4.0")[0]))
    assert (first.expected, first.given) == (vector["answer"]["code"], 99)
    assert first.describe().endswith(f"{vector['rule']}, progress.md#queries")
    assert result.differences[2].expected is ABSENT


UNUSABLE = {
    "ends": (
        GREETING + "next(lines); sys.exit(7)",
        "exit code 7 instead of answering progress 0001",
    ),
    "is killed": (GREETING + "next(lines); import os; os.kill(os.getpid(), 9)", "signal 9"),
    "hangs": (GREETING + "next(lines); time.sleep(600)", "within 0.5 s"),
    "never greets": ("time.sleep(600)", "the greeting within 0.5 s"),
    "writes a text": (GREETING + "next(lines); print('oh', flush=True); time.sleep(600)", "'oh'"),
    "writes bytes": (
        GREETING + "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush(); time.sleep(600)",
        "no JSON object",
    ),
    "writes a list": (GREETING + "tell([1]); time.sleep(600)", "no JSON object: '[1]'"),
    "is of another protocol": ("tell({'hello': {'protocol': 2}})", "greeting is not"),
    "answers another question": (GREETING + "tell({'id': 'x', 'answer': {}})", "the id 'x'"),
    "has no answer": (
        GREETING + "tell({'id': json.loads(next(lines))['id']})",
        "has no object `answer`",
    ),
    "writes without end": (GREETING + "\nwhile True: print('y')", "no JSON object: 'y'"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_driver_is_one_line(archive: Archive, tmp_path: Path, name: str) -> None:
    """What it did, and at which question; nothing waits for it."""
    script, words = UNUSABLE[name]
    seconds = 0.5 if "0.5 s" in words else 300.0
    run = run_script(archive, tmp_path, script, seconds)
    assert words in run.problem
    assert "\n" not in run.problem
    assert run.answered == 0


def test_a_command_that_cannot_be_started_is_one_line(archive: Archive) -> None:
    """No such program, no program at all, an open quotation mark."""
    for command in ("/no/such/program", "", "'"):
        assert "cannot be started" in run_vectors(archive, command, "4.4.0").problem


def test_unknown_releases_and_sets_are_refused(archive: Archive) -> None:
    """With those that there are."""
    with pytest.raises(ArchiveError, match=r"no vectors of 9\.9\.9; there are of 4\.4\.0"):
        run_vectors(archive, REFERENCE, "9.9.9")
    with pytest.raises(ArchiveError, match="no set 'log'; it has progress, copying"):
        run_vectors(archive, REFERENCE, "4.4.0", names=("log",))


def test_values_are_compared_with_their_types() -> None:
    """1, 1.0 and true are three; objects have no order, lists have."""
    assert list(compare({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, "")) == []
    assert list(compare({"a": 1}, {"a": True}, "")) == [("a", 1, True)]
    assert list(compare({"a": 1}, {"a": 1.0}, "")) == [("a", 1, 1.0)]
    assert list(compare([1, 2], [2, 1], "x")) == [("x[0]", 1, 2), ("x[1]", 2, 1)]
    assert list(compare({"a": [1]}, {"a": []}, "")) == [("a[0]", 1, ABSENT)]
    assert list(compare({"a": None}, {}, "")) == [("a", None, ABSENT)]


def test_optional_members_may_be_left_out_and_are_compared_otherwise() -> None:
    """A difference inside of a step is that of the step's rule."""
    vector = {
        "id": "1",
        "ask": {"steps": [{"rule": "fill_file"}, {"rule": "kill_slave[0]"}]},
        "answer": {"steps": [{"a": 1}, {"a": 2}], "ghosts": [1]},
        "rule": "kill_slave",
        "section": "faults.md#kill_slave",
    }
    optional, sections = frozenset({"ghosts"}), {"fill_file": "commit_log.md#fill_file"}
    given = {"steps": [{"a": 3}, {"a": 2}]}
    (found,) = list_differences(vector, given, optional, sections)
    assert (found.field, found.rule, found.section) == (
        "steps[0].a",
        "fill_file",
        "commit_log.md#fill_file",
    )
    given = {"steps": [{"a": 1}, {"a": 2}], "ghosts": [2]}
    (found,) = list_differences(vector, given, optional, sections)
    assert (found.field, found.rule) == ("ghosts[0]", "kill_slave")


def find_templates(folder: Path) -> dict[str, tuple[list[list[str]], str]]:
    """For each language the commands that build its driver, and the one that runs it."""
    return {
        "javac": (
            [["javac", "-d", str(folder), str(DRIVERS / "Driver.java")]],
            f"java -cp {folder} Driver",
        ),
        "rustc": (
            [["rustc", "--edition=2021", "-o", str(folder / "rust"), str(DRIVERS / "driver.rs")]],
            str(folder / "rust"),
        ),
        "go": (
            [["go", "build", "-o", str(folder / "go"), str(DRIVERS / "driver.go")]],
            str(folder / "go"),
        ),
    }


@pytest.mark.nightly
@pytest.mark.parametrize("compiler", ["javac", "rustc", "go"])
def test_templates_answer_the_queries_of_progress(
    archive: Archive, tmp_path: Path, compiler: str
) -> None:
    """All of them, in each language whose compiler is there."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    builds, command = find_templates(tmp_path)[compiler]
    for build in builds:
        subprocess.run(build, check=True, capture_output=True)
    run = run_vectors(archive, command, "4.4.0")
    assert run.problem == ""
    progress, copying = run.sets
    queries = sum(
        "query after" in v["id"] for v in archive.read_vectors(archive.list_files("4.4.0")[0])
    )
    assert (progress.alike, progress.different) == (queries, 0)
    assert copying.unsupported == copying.total


def test_templates_are_short() -> None:
    """Less than 150 lines each."""
    for name in ("Driver.java", "driver.go", "driver.rs"):
        assert len((DRIVERS / name).read_text(encoding="utf-8").splitlines()) < 150


def test_a_question_is_one_line_without_its_answer(archive: Archive, tmp_path: Path) -> None:
    """A driver cannot read what is expected."""
    kept = tmp_path / "asked"
    run_script(
        archive,
        tmp_path,
        GREETING + f"open({str(kept)!r}, 'w').write(next(lines)); sys.exit(0)",
    )
    assert {"set", "id", "ask"} == set(json.loads(kept.read_text()))

"""Generated test files: they pass as they are, and fail when the schedule is another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from properties.schedules.regression import format_record, format_regression
from reference.worlds.replication.parameters import FaultCounts, Parameters
from tests.command_line.run import ROOT
from tests.properties.refutations import KnownSchedule, every_world, find_known
from tests.structures import TWO_OF_EACH

IDENTIFIER = "made/by/a/test"


def format_test(known: KnownSchedule) -> str:
    """The test file of a known schedule."""
    return format_regression(
        known.guarantee, known.structure, known.parameters, known.schedule, IDENTIFIER
    )


@every_world
def test_the_file_means_the_schedule(world: str) -> None:
    """Structure, sizes, steps and guarantee, in every world; its tests pass."""
    known = find_known(world)
    text = format_test(known)
    space: dict[str, object] = {}
    exec(compile(text, "generated", "exec"), space)
    assert known.structure == space["STRUCTURE"]
    assert known.parameters == space["PARAMETERS"]
    assert known.schedule == space["SCHEDULE"]
    assert known.guarantee == space["GUARANTEE"]
    assert IDENTIFIER in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_pytest_runs_the_files(tmp_path: Path) -> None:
    """They pass; with a step too many, or one too few, they fail."""
    text = format_test(find_known("delay"))
    (tmp_path / "test_good.py").write_text(text)
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("    Action("))
    (tmp_path / "test_twice.py").write_text("".join([*lines[:first], lines[first], *lines[first:]]))
    (tmp_path / "test_without.py").write_text("".join([*lines[:first], *lines[first + 1 :]]))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
    result = subprocess.run(
        [*words, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert 1 == result.returncode, result.stdout
    failed = {
        x.removeprefix("FAILED ").partition("::")[0]
        for x in result.stdout.splitlines()
        if x.startswith("FAILED")
    }
    assert {"test_twice.py", "test_without.py"} == failed


def test_sizes_as_python() -> None:
    """What is as usual is left out."""
    assert "Parameters()" == format_record(Parameters())
    text = format_record(TWO_OF_EACH)
    assert eval(text, {"Parameters": Parameters, "FaultCounts": FaultCounts}) == TWO_OF_EACH
    assert "    limits=FaultCounts(\n        master_kills=2,\n" in text

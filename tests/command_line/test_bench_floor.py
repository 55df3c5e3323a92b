"""The floor of the speed: its arithmetic on given figures, its record, its exit codes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from command_line import bench
from command_line.benchmarks import floor as bench_floor
from command_line.benchmarks import probe as bench_probe
from command_line.benchmarks.floor import LOOPS, OPTIONS, RECORD, SHARE, Pace
from spark_fuzz.kernel import calibration
from tests.command_line.run import assert_one_line, run

KERNEL = Pace("kernel", [300.0, 400.0, 200.0], [8000.0, 6000.0, 7000.0])
REFERENCE = Pace("reference", [9.0, 6.0], [50.0, 90.0])
"""Ratios of 400/8000 and 9/90."""


def test_a_ratio_is_of_the_fastest_rounds() -> None:
    """One disturbed slice, of the engine or of the loop, changes nothing."""
    assert 0.05 == KERNEL.ratio
    assert 0.1 == REFERENCE.ratio
    assert 0.05 == Pace("kernel", [400.0, 1.0], [8000.0, 1.0]).ratio
    assert 0.5 == pytest.approx(KERNEL.compute_share(0.1))


@pytest.mark.parametrize(
    ("recorded", "low"),
    [
        ({"kernel": 0.05, "reference": 0.1}, []),
        ({"kernel": 0.02, "reference": 0.04}, []),
        ({"kernel": 0.0714, "reference": 0.1428}, []),
        ({"kernel": 0.0716, "reference": 0.1}, ["kernel at 70%"]),
        ({"kernel": 0.05, "reference": 0.2}, ["reference at 50%"]),
        ({"kernel": 0.1, "reference": 0.2}, ["kernel at 50%", "reference at 50%"]),
    ],
)
def test_the_floor(
    recorded: Mapping[str, float], low: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below 70 % of the record: 1, and one line that names every engine that is too slow."""
    monkeypatch.setattr(bench, "read_record", lambda: recorded)
    monkeypatch.setattr(bench_floor, "measure_paces", lambda line: [KERNEL, REFERENCE])
    result = run("bench", "--floor")
    assert (1 if low else 0) == result.returncode
    assert ["kernel", "reference"] == [x.split()[0] for x in result.stdout.splitlines()]
    assert bool(low) == result.stderr.count("\n")
    assert low == re.findall(r"\w+ at \d+%", result.stderr)
    answer = json.loads(run("bench", "--floor", "--json").stdout)["engines"]
    assert len(low) == sum(e["share"] < e["share_at_least"] for e in answer)


def test_a_low_figure_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rounds count: a disturbance fails nothing, however long it lasts, and a loss does."""
    slow = Pace("kernel", [100.0], [8000.0])
    for measured, count, low in (
        ([[KERNEL, REFERENCE], [slow, REFERENCE]], 1, set()),
        ([[slow, REFERENCE], [REFERENCE, KERNEL]], 2, set()),
        ([*[[slow, REFERENCE]] * 4, [KERNEL, REFERENCE]], 5, set()),
        ([*[[slow, REFERENCE]] * 5, [KERNEL, REFERENCE]], 5, {"kernel"}),
    ):
        left = list(measured)
        monkeypatch.setattr(bench_floor, "measure_paces", lambda line, left=left: left.pop(0))
        recorded = {"kernel": 0.05, "reference": 0.1}
        paces = bench_floor.measure_until_enough(recorded, str)
        assert count == len(measured) - len(left)
        assert low == set(bench_floor.find_low(paces, recorded))
        assert ["kernel", "reference"] == [p.engine for p in paces]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little work that only the way of it is tested."""
    monkeypatch.setattr(bench_probe, "KERNEL_SCHEDULES", 200)
    monkeypatch.setattr(bench_probe, "REFERENCE_SCHEDULES", 1)
    monkeypatch.setattr(bench_floor, "LOOPS", {n: (loop, 10_000) for n, (loop, _) in LOOPS.items()})
    monkeypatch.setattr(bench_floor, "ROUNDS", 2)


@pytest.mark.nightly
@pytest.mark.xdist_group("kernels")
@pytest.mark.usefixtures("quick")
def test_record_and_floor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is recorded is read again; a record out of all reach fails, one of nothing holds.

    CI itself measures against the stored record, after the tests.
    """
    path = tmp_path / "speed_floor.toml"
    monkeypatch.setattr(bench, "RECORD", path)
    monkeypatch.setattr(bench, "read_record", partial(bench_floor.read_record, path))
    assert 0 == run("bench", "--record-floor").returncode
    recorded = bench_floor.read_record(path)
    assert all(ratio > 0 for ratio in recorded.values())
    for factor, code in ((1e6, 1), (1e-6, 0)):
        text = path.read_text()
        for name, ratio in recorded.items():
            text = re.sub(rf"(?s)(\[{name}\].*?ratio = )\S+", rf"\g<1>{ratio * factor:.4g}", text)
        path.write_text(text)
        result = run("bench", "--floor")
        assert code == result.returncode, result.stderr
        assert code == result.stderr.count("\n")


def test_the_record_is_of_these_loops_and_options() -> None:
    """Where a loop changes, all is measured again; it says on what it was measured."""
    record = tomllib.loads(RECORD.read_text())
    assert calibration.compute_digest() == record["loops"]
    assert dict(OPTIONS) == {name: record[name] for name in OPTIONS}
    assert {"machine", "python", "packages", "rounds"} <= set(record)
    for name, ratio in bench_floor.read_record().items():
        rates = record[name]["steps_per_second"], record[name]["iterations_per_second"]
        assert ratio == pytest.approx(rates[0] / rates[1], rel=1e-3)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "loops"),
        ("loops = 'f00'\n[kernel]\nratio = 1\n[reference]\nratio = 1\n", "other loops"),
        ("nonsense", "no recorded speed"),
        (None, "No such file"),
    ],
)
def test_a_record_that_says_nothing(
    text: str | None, word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One line that says how to make a new one."""
    path = tmp_path / "speed_floor.toml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(bench, "read_record", partial(bench_floor.read_record, path))
    message = assert_one_line(run("bench", "--floor"), 3)
    assert word in message
    assert "--record-floor" in message


def test_the_loops_do_fixed_work() -> None:
    """The same each time, more of it for more iterations; none of it can be left out."""
    for loop, _ in LOOPS.values():
        assert loop(1000) == loop(1000)
        assert 0 < loop(1000) < loop(4000)


def test_measures_exclude_each_other() -> None:
    """Each is a run of its own."""
    assert "exclude each other" in assert_one_line(run("bench", "--floor", "--record-floor"), 3)
    assert 0 < SHARE < 1

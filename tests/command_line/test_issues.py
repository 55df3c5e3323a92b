"""``rmqspec issues`` and ``rmqspec export itf``, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line.issues import EPILOG
from properties.scenarios.known_issues.catalogue import load_catalogue, load_scenarios
from properties.scenarios.known_issues.telling import draw
from tests.command_line.run import assert_one_line, run

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"


def test_the_table_has_every_issue() -> None:
    """Each number, each name of what falls, and what is outside."""
    output = run("issues").stdout
    for scenario in load_scenarios():
        assert scenario.sources[0] in output
        assert scenario.shows in output
    assert "RMQ-270" in output
    assert len(load_catalogue()) == len(json.loads(run("issues", "--json").stdout))


def test_one_issue_is_drawn_and_replayed(tmp_path: Path) -> None:
    """With its configuration; the command that it names gives the same drawing."""
    scenario = next(s for s in load_scenarios() if s.name == "slave_dispatch_stuck")
    output = run("issues", "289").stdout
    assert draw(scenario) in output
    assert "RocketMQ 4.4.0, SYNC_MASTER/ASYNC_FLUSH/1 slave" in output
    assert "But after step 14 dispatch_reaches_the_end does not hold" in output
    *_, words = output.partition("To replay it: ./rmqspec ")
    first, _, second = words.splitlines()[0].partition(" && ./rmqspec ")
    folder = tmp_path / "issues"
    exported = run(*(folder if w == "issues" else w for w in first.split()))
    assert 0 == exported.returncode, exported.stderr
    assert f"{len(load_scenarios())} traces" in exported.stdout
    verb, file = second.split()
    replayed = run(verb, tmp_path / file)
    assert "✗ dispatch_reaches_the_end" in replayed.stdout
    answer = json.loads(run(verb, tmp_path / file, "--json").stdout)
    assert len(scenario.schedule) == answer["violating_steps"]["dispatch_reaches_the_end"]


@pytest.mark.parametrize(
    ("number", "word"),
    [("3603", "choose_offset_store"), ("421", "Outside of the model"), ("5657", "3 steps")],
)
def test_other_kinds_are_told(number: str, word: str) -> None:
    """A decision, one that is outside, one with a column of no fault."""
    assert word in run("issues", number).stdout


def test_an_unknown_issue_is_one_line() -> None:
    """With the nearest ones."""
    line = assert_one_line(run("issues", "6766"), 3)
    assert "#6767" in line


def test_the_examples_of_issues_work() -> None:
    """What --help shows can be typed."""
    lines = [line.split("   ")[0] for line in EPILOG.splitlines() if "rmqspec issues" in line]
    assert len(lines) == 4
    for line in lines:
        assert 0 == run(*line.split()[1:]).returncode


def test_one_structure_of_a_release_is_exported(tmp_path: Path) -> None:
    """One folder, and its index."""
    folder = tmp_path / "pair"
    result = run("export", "itf", "--out", folder, "--structure", PAIR)
    assert 0 == result.returncode, result.stderr
    (made,) = (path for path in folder.iterdir() if path.is_dir())
    count = len(list(made.iterdir()))
    assert f"{made}: {count} traces" in result.stdout
    assert count == len(json.loads((folder / "index.json").read_text()))
    line = assert_one_line(run("export", "itf", "--out", folder, "--issues"), 3)
    assert "exists" in line


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--structure", "SYNC_MASTER/ASYNC_FLUSH/2 slaves at 4.9.3"), "nearest"),
        (("--issues", "--structure", PAIR), "--issues"),
    ],
)
def test_a_wrong_choice_is_one_line(tmp_path: Path, options: tuple[str, ...], word: str) -> None:
    """And nothing is written."""
    folder = tmp_path / "none"
    assert word in assert_one_line(run("export", "itf", "--out", folder, *options), 3)
    assert not folder.exists()


def test_a_corrupted_trace_is_one_line(tmp_path: Path) -> None:
    """A number that is not what the reference comes to."""
    folder = tmp_path / "issues"
    assert 0 == run("export", "itf", "--out", folder, "--issues").returncode
    file = folder / "known_issues" / "outrun_by_retention.itf.json"
    text = file.read_text()
    for spoilt in (text[:-30], text.replace('"connection_count": {"#bigint": "1"}', "7")):
        assert spoilt != text
        file.write_text(spoilt)
        assert str(file) in assert_one_line(run("replay", file), 3)

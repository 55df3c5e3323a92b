"""``rmqspec issues`` and ``rmqspec export itf``, run as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line.output import exit_codes
from properties.scenarios.known_issues.catalogue import load_catalogue, load_scenarios
from properties.scenarios.known_issues.telling import draw
from tests.command_line.run import CONF, assert_one_line, run

PAIR_FILES = CONF / "2m-2s-sync"
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
    assert "Result: after step 14, dispatch_reaches_the_end does not hold" in output
    *_, words = output.partition("To replay it:\n")
    first, second = (line.removeprefix("  ./rmqspec ") for line in words.splitlines()[:2])
    folder = tmp_path / "issues"
    exported = run(*(folder if w == "issues" else w for w in first.split()))
    assert 0 == exported.returncode, exported.stderr
    assert f"{len(load_scenarios())} traces" in exported.stdout
    verb, file = second.split()
    replayed = run(verb, tmp_path / file)
    assert "✗ dispatch_reaches_the_end" in replayed.stdout
    answer = json.loads(run(verb, tmp_path / file, "--json").stdout)
    assert len(scenario.schedule) == answer["violating_steps"]["dispatch_reaches_the_end"]


def test_words_of_this_project_are_explained() -> None:
    """A change to the model is no setting of RocketMQ, and some sources are no threads."""
    output = run("issues", "6767").stdout
    assert "With epoch_check, a change to the model (spec/variants.md#epoch_check): " in output
    assert "In RocketMQ 4.9.3: " in output
    assert "survey-1 is a schedule that this project found itself." in output
    assert "survey-" not in run("issues", "421").stdout
    table = run("issues").stdout
    assert "no settings of RocketMQ" in " ".join(table.split())
    assert "fact-N is a fact of RocketMQ's code" in " ".join(table.split())


def test_a_command_to_copy_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a narrow terminal a line that goes on ends with a backslash."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = run("issues", "6767").stdout.splitlines()
    start = lines.index("To replay it:")
    told = "\n".join(lines[start + 1 : start + 5]).replace("\\\n", " ")
    commands = [" ".join(line.split()) for line in told.splitlines()]
    assert "./rmqspec export itf --out issues --issues" == commands[0]
    assert "./rmqspec replay issues/known_issues/both_copies_lost.itf.json" == commands[1]


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


@pytest.mark.nightly
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


def list_chances(*arguments: object) -> dict[str, str]:
    """Each issue of the one group that is asked about, with its chance."""
    (group,) = json.loads(run("issues", *arguments, "--json").stdout)
    return {issue["name"]: issue["chance"] for issue in group["issues"]}


def test_issues_of_a_group_depend_on_its_settings() -> None:
    """Flush, role and release: what is possible, what is proved to be impossible."""
    usual = list_chances(PAIR_FILES)
    assert {s.name for s in load_scenarios()} == set(usual)
    assert "possible" == usual["both_copies_lost"]
    assert "impossible" == usual["upgrade_drops_slave_wait"]
    flushed = list_chances(PAIR_FILES, "--what-if", "flushDiskType=SYNC_FLUSH")
    assert "impossible" == flushed["both_copies_lost"]
    later = list_chances(PAIR_FILES, "--rocketmq-version", "5.3.0")
    assert "possible" == later["upgrade_drops_slave_wait"]
    open_slave = list_chances(PAIR_FILES, "--what-if", "slaveReadEnable=true")
    assert "possible" == open_slave["reads_go_back_in_time"] != usual["reads_go_back_in_time"]


def test_issues_of_a_group_in_words() -> None:
    """Possible ones first; decisions of clients are listed apart."""
    result = run("issues", PAIR_FILES)
    assert exit_codes.ANALYSED == result.returncode
    told = " ".join(result.stdout.split())
    heads = ["Can happen", "Not by these steps", "Cannot happen", "Decided by clients"]
    assert sorted(heads, key=told.index) == heads
    assert "#467: A slave's queue misses a message" in told.partition("Cannot happen")[2]


def test_one_issue_in_groups() -> None:
    """It is drawn, then judged in each group; unknown slaves are told side by side."""
    result = run("issues", "6767", PAIR_FILES / "broker-a.properties")
    assert draw(next(s for s in load_scenarios() if s.name == "both_copies_lost")) in result.stdout
    assert ", no slaves; RocketMQ 4.4.0" in result.stdout
    assert ", 1 slave; RocketMQ 4.4.0" in result.stdout
    result = run("issues", "6767", PAIR_FILES / "broker-a.properties", "--slaves", "1")
    assert ", no slaves;" not in result.stdout


def test_nothing_is_decided_outside_the_model() -> None:
    """With the reason, and an exit code of its own."""
    result = run("issues", PAIR_FILES, "--what-if", "haTransferBatchSize=99999999")
    assert exit_codes.UNDECIDED == result.returncode
    assert "Nothing is decided:" in result.stdout
    assert "Can happen" not in result.stdout


def test_every_bad_file_of_groups_is_reported(tmp_path: Path) -> None:
    """A word with a slash or a dot is a file."""
    (tmp_path / "a.conf").write_text("brokerRole=MASTER\n")
    result = run("issues", tmp_path / "a.conf", tmp_path / "b.conf")
    assert exit_codes.BAD_INPUT == result.returncode
    assert ["a.conf", "b.conf"] == [
        Path(line.split(": ")[1].partition(":")[0]).name for line in result.stderr.splitlines()
    ]

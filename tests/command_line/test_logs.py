"""``rmqspec logs``: what it prints, its exit codes, and the recording that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line.output import exit_codes
from tests.brokers.broker_logs.real_logs import unpack_logs
from tests.command_line.run import run


@pytest.fixture(name="torn", scope="module")
def unpack_torn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pair whose master was killed while it made a file."""
    return unpack_logs("torn_roll_kill", tmp_path_factory.mktemp("logs"))


def test_signs_are_told_within_eighty_columns(torn: Path) -> None:
    """With meaning, advice and chapter; the exit code says that there is trouble."""
    result = run("logs", str(torn))
    assert exit_codes.REFUTED == result.returncode
    assert max(map(len, result.stdout.splitlines())) <= 80
    told = " ".join(result.stdout.split())
    for words in (
        "(torn_roll)",
        "master, 2026-11-22 22:16:22: the slave has 16384, the master recovered 14000",
        "spec/operators.md#the-master-ended-while-it-made-a-new-file",
        "22:16:15 master has loaded; its log ends at 14000",
        "SLAVE_NOT_AVAILABLE: no release logs it.",
    ):
        assert words in told


def test_json_has_the_same(torn: Path) -> None:
    """One object."""
    told = json.loads(run("logs", str(torn), "--json").stdout)
    assert ["master", "slave1"] == [each["broker"] for each in told["brokers"]]
    signs = {each["sign"]: each for each in told["signs"]}
    assert signs["torn_roll"]["is_trouble"]
    assert not signs["put_slow"]["is_trouble"]
    assert signs["file_not_created"]["found"][0]["count"] == 3245


def test_a_quiet_time_has_no_trouble(torn: Path) -> None:
    """Before the master's directory lost the right to write."""
    result = run("logs", str(torn), "--until", "2026-11-22 22:16:03")
    assert exit_codes.ANALYSED == result.returncode
    told = " ".join(result.stdout.split())
    assert "Nothing but notes in the" in told


READING = (
    "2020-07-19 10:45:46 INFO PullMessageThread_11 - the request offset: 30266 over flow badly, "
    "broker max offset: 30265, consumer: /10.0.0.1:1000",
    "2020-07-19 10:45:46 WARN PullMessageThread_11 - PULL_OFFSET_MOVED:correction offset. topic=t, "
    "groupId=g, requestOffset=30266, newOffset=0, suggestBrokerId=0",
    "2020-07-19 10:45:47 WARN PullMessageThread_12 - PULL_OFFSET_MOVED:none correction. topic=t, "
    "groupId=g, requestOffset=101254, suggestBrokerId=0",
)
"""Lines of a public report: consumers are sent back to offset 0."""


def write_log(folder: Path, *lines: str, log: str = "broker") -> Path:
    """A log of these lines."""
    (folder / f"{log}.log").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder


def test_lines_of_the_reading_side_are_known(tmp_path: Path) -> None:
    """A group that was sent back is trouble."""
    result = run("logs", str(write_log(tmp_path, *READING)))
    assert exit_codes.REFUTED == result.returncode
    told = " ".join(result.stdout.split())
    assert "3 of them known" in told
    assert "(group_sent_back)" in told
    assert "g of t: from 30266 to 0" in told


def test_lines_that_are_not_known_reassure_of_nothing(tmp_path: Path) -> None:
    """And the exit code says so."""
    result = run("logs", str(write_log(tmp_path, "2020-07-19 10:45:46 INFO main - hello")))
    assert exit_codes.UNDECIDED == result.returncode
    assert "No sign of trouble" not in result.stdout
    assert "none of these lines is known" in " ".join(result.stdout.split())


def test_an_error_that_is_not_known_is_a_sign(tmp_path: Path) -> None:
    """Whatever it says; a known line beside it does not hide it."""
    known = "2020-07-19 10:45:45 INFO main - last shutdown normally"
    line = "2020-07-19 10:45:46 ERROR main - something new"
    result = run("logs", str(write_log(tmp_path, known, line, log="store")))
    assert exit_codes.REFUTED == result.returncode
    assert "(error_line)" in result.stdout
    assert "something new" in result.stdout


def test_what_no_line_is_about_is_named(tmp_path: Path) -> None:
    """A start alone says nothing of replication or pulls."""
    known = "2020-07-19 10:45:45 INFO main - last shutdown normally"
    result = run("logs", str(write_log(tmp_path, known, log="store")))
    assert exit_codes.ANALYSED == result.returncode
    told = " ".join(result.stdout.split())
    assert "No sign of trouble in the 1 lines that are known." in told
    assert "None is about replication, pulls, progress" in told


def test_trace_reads_the_recording(torn: Path, tmp_path: Path) -> None:
    """It is written once, names the release, and conforms."""
    file = tmp_path / "pair.jsonl"
    run("logs", str(torn), "--recording", str(file))
    head = json.loads(file.read_text("utf-8").splitlines()[0])
    assert ("4.4.0", True) == (head["rocketmq"], head["without_puts"])
    assert "pair.jsonl: conforms" in run("trace", str(file)).stdout
    again = run("logs", str(torn), "--recording", str(file))
    assert exit_codes.BAD_INPUT == again.returncode
    assert "exists and is left as it is" in again.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "Missing argument"),
        (("nowhere",), "there is no such folder"),
        (("tests/spec",), "no logs of a broker"),
        (("tests", "--since", "yesterday"), "is not the beginning of a time"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], problem: str) -> None:
    """With the exit code of bad input."""
    result = run("logs", *words)
    assert exit_codes.BAD_INPUT == result.returncode
    assert problem in result.stderr
    assert 1 == len(result.stderr.splitlines())

"""Bad input: one line that says what, where and what to do; the documented exit code."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reference.worlds.replication.rules import RULES
from spark_fuzz.search.breadth_first import STATES_LIMIT
from tests.command_line.run import CONF, ROOT, assert_one_line, run, run_process

ID = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/"
CONSUMER = "reading/open slow/offset check/last"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("", "empty"),
        ("# nothing but a comment\n", "empty"),
        ("brokerName=a\x00\nbrokerRole=SYNC_MASTER\n", "text"),
        ("brokerName=a\nbrokerRole=SYNC_MASTR\n", "brokerRole"),
        ("brokerName=a\nflushDiskType=SOMETIMES\n", "flushDiskType"),
        ("brokerName=a\nbrokerRole=SLAVE\nbrokerId=0\n", "brokerId"),
        ("brokerName=a\nbrokerRole=SLAVE\nbrokerId=1\n", "no master"),
        ("brokerName=a\nbrokerId=one\n", "brokerId"),
        ("brokerName=a\nhaTransferBatchSize=0\n", "haTransferBatchSize"),
    ],
)
def test_bad_configurations(content: str, word: str, tmp_path: Path) -> None:
    """A file that nobody can answer for."""
    file = tmp_path / "broker.conf"
    file.write_text(content)
    message = assert_one_line(run("check", file), 3)
    assert word in message
    assert "broker.conf" in message


def test_a_value_that_a_broker_ignores(tmp_path: Path) -> None:
    """A Raft group is not answered for anyhow, so that nothing is proved here."""
    file = tmp_path / "broker.conf"
    file.write_text("brokerName=a\nenableDLegerCommitLog=true\ndiskMaxUsedSpaceRatio=75%\n")
    answer = run("check", file)
    assert 2 == answer.returncode
    assert "would silently ignore this and run with" in " ".join(answer.stdout.split())
    assert "diskMaxUsedSpaceRatio" in assert_one_line(run("check", file, "--strict"), 3)


def test_two_masters(tmp_path: Path) -> None:
    """Which of the two the name server would list is a matter of luck."""
    for name in ("a.conf", "b.conf"):
        (tmp_path / name).write_text("brokerName=x\nbrokerRole=SYNC_MASTER\n")
    assert "master" in assert_one_line(run("check", tmp_path), 3)


def test_missing_and_unreadable_paths(tmp_path: Path) -> None:
    """No file, no folder content, no permission."""
    assert "nowhere" in assert_one_line(run("check", tmp_path / "nowhere"), 3)
    assert_one_line(run("check", tmp_path), 3)
    secret = tmp_path / "secret.conf"
    secret.write_text("brokerRole=SYNC_MASTER\n")
    secret.chmod(0)
    if os.geteuid() != 0:
        assert "secret.conf" in assert_one_line(run("check", secret), 3)
    secret.chmod(stat.S_IRUSR)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["check", "--no-such-flag"], "--no-such-flag"),
        (["chek"], "chek"),
        (["check", CONF, "--require", "no_such_guarantee"], "no_such_guarantee"),
        (["prove", "--structure", "no such structure"], "no such structure"),
        (["replay", "nonsense"], "identifies no schedule"),
        (["replay", ID + str(2**62)], "out of range"),
        (["replay", ID + "0", "--guarantee", "acknowledged_is_kept_on_some_broker"], "not violate"),
        (["fuzz", "--schedules", "0"], "0"),
        (["fuzz", "--limits", "1,2,3"], "NAME=COUNT"),
        (["fuzz", "--limits", "floods=1"], "NAME=COUNT"),
        (["trace", "no-such-file.jsonl"], "no-such-file.jsonl"),
        (["check", ""], "empty path"),
        (["check", "--what-if", "brokerRole"], "KEY=VALUE"),
        (["check", "--what-if", "brokerRol=SYNC_MASTER"], "brokerRole"),
        (["check", "--what-if", "brokerRole=MASTER"], "SYNC_MASTER"),
        (["check", "--what-if", "brokerRole=SLAVE"], "slave"),
        (["check", "--what-if", "slave.brokerRole=SYNC_MASTER"], "slave"),
        (["check", "--what-if", "slave.brokerName=x"], "ties a group together"),
        (["check", "--what-if", "slave.slaveReadEnabl=true"], "slaveReadEnable"),
        (["check", CONF / "2m-noslave", "--what-if", "slave.brokerId=2"], "no group has a slave"),
        (["check", "--total-memory-bytes", "-1"], "total-memory-bytes"),
        (["check", "--require", "acknowledgement_is_truthful:rain"], "rain"),
        (["fuzz", "--limits", "link_cuts=²"], "NAME=COUNT"),
        (["fuzz", "--limits", "link_cuts=999999999999999"], "NAME=COUNT"),
        (["fuzz", "--structure", "no such structure"], "is no structure; nearest are"),
        (["fuzz", "--structure", CONSUMER, "--limits", "link_cuts=1"], "slave_stops=1"),
        (
            ["prove", "--cross-check", "9", "--structure", CONSUMER, "--fault", "late join"],
            "no fault model",
        ),
        (["replay", ID + "0", "--guarantee", "no_message_is_skipped"], "is no guarantee of"),
        (["prove", "--levels", "searches"], "goes with --cross-check"),
        (["prove", "--cross-check", "9", "--master", "local[2]"], "goes with --levels"),
        (["prove", "--cross-check", str(STATES_LIMIT + 1)], "need --levels"),
        (["prove", "--cross-check", "9", "--levels", "x", "--master", "nonsense"], "local[N]"),
        (["fuzz", "--master", "nonsense"], "local[N]"),
        (["fuzz", "--out", "/dev/null/x"], "cannot be made"),
        (["replay", ID + "0@12345678"], "other rules"),
        (["trace"], "FILE"),
        (["trace", "README.md"], "README.md:1"),
    ],
)
def test_bad_arguments(arguments: list[object], word: str) -> None:
    """Unknown verbs, flags, guarantees and identifiers; files that are no traces."""
    assert word in assert_one_line(run(*arguments), 3)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_every_bad_recording_is_reported(options: tuple[str, ...]) -> None:
    """In the order of the files; the good ones are explained all the same."""
    good = "tests/data/traces/a_sync_healthy.jsonl"
    result = run("trace", "rmqspec", good, "README.md", "nowhere.jsonl", *options)
    assert 3 == result.returncode
    starts = [line.split(": ")[1] for line in result.stderr.splitlines()]
    assert ["rmqspec:1", "README.md:1", "nowhere.jsonl"] == [s.split(" ")[0] for s in starts]
    assert good in result.stdout
    assert "conforms" in result.stdout


def test_every_bad_schedule_is_reported(tmp_path: Path) -> None:
    """Files and identifiers; the good ones are replayed all the same."""
    (tmp_path / "a.json").write_text("{")
    result = run("replay", tmp_path / "a.json", ID + "7", "nonsense")
    assert 3 == result.returncode
    assert 2 == len(result.stderr.splitlines())
    assert "a.json" in result.stderr
    assert "nonsense" in result.stderr
    assert ID + "7" in result.stdout


def test_a_campaign_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    (tmp_path / "kept").write_text("precious")
    message = assert_one_line(run("fuzz", "--schedules", 10, "--out", tmp_path), 3)
    assert "exists" in message
    assert "precious" == (tmp_path / "kept").read_text()


def test_a_broken_manifest(tmp_path: Path) -> None:
    """A folder whose manifest was cut off."""
    (tmp_path / "manifest.json").write_text('{"schedules": 7')
    assert "manifest.json" in assert_one_line(run("replay", tmp_path, "--schedule", 1), 3)


def test_nothing_asked_for_shows_the_help() -> None:
    """Bare rmqspec lists the verbs, each on its line."""
    result = run()
    assert 3 == result.returncode
    assert "\n  check " in result.stderr


def test_a_full_disk_is_one_line() -> None:
    """What cannot be written is an error, not a traceback."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "command_line", "check", "--timelines", "0"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=ROOT,
        )
    assert "Traceback" not in result.stderr
    assert 3 == result.returncode


def write_java(folder: Path, says: str) -> Path:
    """A Java of our own making."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    return folder


def test_java_that_is_too_old(tmp_path: Path) -> None:
    """Java 8 calls itself 1.8."""
    home = write_java(tmp_path / "old", 'openjdk version "1.8.0_402"')
    message = assert_one_line(run("fuzz", "--schedules", 10, env={"JAVA_HOME": str(home)}), 4)
    assert "version 8" in message
    assert "17" in message


def test_no_java(tmp_path: Path) -> None:
    """A JAVA_HOME without Java; a path without Java."""
    assert "JAVA_HOME" in assert_one_line(run("fuzz", env={"JAVA_HOME": str(tmp_path)}), 4)
    message = assert_one_line(run("fuzz", env={"JAVA_HOME": "", "PATH": str(tmp_path)}), 4)
    assert "openjdk-17" in message


def test_help_does_not_need_the_heavy_libraries() -> None:
    """The entry point imports a verb only when it is used."""
    words = "import sys, command_line.main; print({'z3', 'numpy', 'pyspark'} & set(sys.modules))"
    output = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True
    )
    assert "set()" == output.stdout.strip()
    assert RULES


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["replay", "nonsense"], 3),
        (["fuzz", "--limits", "floods=1"], 3),
        (["prove", "--structure", "no such structure"], 3),
    ],
)
def test_a_process_says_the_same(arguments: list[object], code: int) -> None:
    """What other tests ask of the entry point inside their own process."""
    inside = run(*arguments)
    assert assert_one_line(run_process(*arguments), code) == inside.stderr
    assert code == inside.returncode


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "No such file or directory"),
        (b'{"subscriptionGroupTable": {"a"', "cut off"),
        (b'\xef\xbb\xbf{"subscriptionGroupTable": {}}', "byte order mark"),
        (b"\xff\xfe", "utf-8"),
        (b"{}", "no subscriptionGroupTable"),
    ],
)
def test_bad_group_files(content: bytes | None, word: str, tmp_path: Path) -> None:
    """The cause in words, with the file."""
    file = tmp_path / "groups.json"
    if content is not None:
        file.write_bytes(content)
    message = assert_one_line(run("check", "--group-file", file), 3)
    assert word in message
    assert "groups.json" in message
    assert "Errno" not in message

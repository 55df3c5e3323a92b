"""Log files are found, put in order and read, whatever is in them."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brokers.broker_logs.findings import ENTRIES_MAX
from brokers.broker_logs.folders import BrokerLogError, find_brokers, list_files
from brokers.broker_logs.lines import LINE_BYTES_MAX, read_file
from brokers.broker_logs.reading import LogReport, choose_release, read_logs
from tests.brokers.broker_logs.real_logs import unpack_logs

START = "2026-11-22 22:16:01 INFO main - last shutdown normally"
LOADED = "2026-11-22 22:16:02 INFO main - load over, and the max phy offset = {end}"


def read(folder: Path, *lines: str, **span: str) -> LogReport:
    """What a broker's ``store.log`` of these lines says."""
    folder.mkdir(exist_ok=True)
    (folder / "store.log").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_logs(find_brokers([folder]), **span)


def test_rotated_files_are_in_order(tmp_path: Path) -> None:
    """The highest number is the oldest, beside the log or in its folder of older files."""
    older = tmp_path / "otherdays"
    older.mkdir()
    names = ("store.log.1", "store.log", "storeerror.log", "otherdays/store.2.log.gz")
    for name in (*names, "otherdays/store.10.log.gz", "store_old.log"):
        (tmp_path / name).touch()
    found = [file.name for file in list_files(tmp_path, "store")]
    assert ["store.10.log.gz", "store.2.log.gz", "store.log.1", "store.log"] == found


def test_compressed_files_are_read(tmp_path: Path) -> None:
    """A start in an older file, its end in the newest; the broker has a single life."""
    (tmp_path / "otherdays").mkdir()
    (tmp_path / "otherdays" / "store.1.log.gz").write_bytes(gzip.compress(f"{START}\n".encode()))
    report = read(tmp_path, LOADED.format(end=7))
    (story,) = report.brokers
    assert [("2026-11-22 22:16:01", 7)] == [(e.start, e.max_offset) for e in story.lives.lives]


def test_a_cut_compressed_file_is_noted(tmp_path: Path) -> None:
    """What was read before is told."""
    data = gzip.compress(b"".join(b"%s %d\n" % (START.encode(), n) for n in range(9999)))
    (tmp_path / "store.log.gz").write_bytes(data[: len(data) // 2])
    report = read_logs(find_brokers([tmp_path]))
    assert "cannot be read to its end" in report.notes[0]
    assert report.brokers[0].lines


@pytest.mark.parametrize("below", ["", "logs/rocketmqlogs", "rocketmqlogs", "logs"])
def test_brokers_are_named_after_their_folders(below: str, tmp_path: Path) -> None:
    """Whether their own folder is named or one around it."""
    for name in ("master", "slave"):
        folder = tmp_path / name / below
        folder.mkdir(parents=True)
        (folder / "store.log").touch()
    assert ["master", "slave"] == [each.name for each in find_brokers([tmp_path])]
    both = find_brokers([tmp_path / "slave", tmp_path / "master" / below])
    assert ["slave", "master"] == [each.name for each in both]


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    """By the folder above."""
    for name in ("a", "b"):
        (tmp_path / name / "broker").mkdir(parents=True)
        (tmp_path / name / "broker" / "broker.log").touch()
    found = find_brokers([tmp_path / "a" / "broker", tmp_path / "b" / "broker"])
    assert ["a/broker", "b/broker"] == [each.name for each in found]


@pytest.mark.parametrize("name", ["missing", "empty", "file"])
def test_other_folders_are_refused(name: str, tmp_path: Path) -> None:
    """One line that names the folder."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(BrokerLogError, match=name):
        find_brokers([tmp_path / name])


def test_lines_have_the_stock_patterns(tmp_path: Path) -> None:
    """With and without thread and level, with milliseconds, after a line that is none."""
    file = tmp_path / "x.log"
    texts = (
        "2026-11-22 22:16:01 INFO main - a - b",
        "\tat org.apache.rocketmq.store.MappedFile.init(MappedFile.java:163)",
        "2026-11-22 22:16:02 - [WATERMARK] Send Queue Size: 0 SlowTimeMills: 0",
        "2026-11-22 22:16:03,250 WARN - no thread",
        "x" * (LINE_BYTES_MAX * 2),
    )
    file.write_text("\n".join(texts), encoding="utf-8")
    lines = list(read_file(file, "store", pytest.fail))
    assert ["a - b", "[WATERMARK] Send Queue Size: 0 SlowTimeMills: 0", "no thread"] == [
        line.text for line in lines
    ]
    assert ("INFO", "main") == (lines[0].level, lines[0].thread)
    assert lines[2].time == "2026-11-22 22:16:03.250"


def test_a_span_limits_what_is_told(tmp_path: Path) -> None:
    """What is earlier is read for what follows from it."""
    later = "2026-11-23 01:00:00 INFO main - last shutdown normally"
    shorter = "2026-11-23 01:00:01 INFO main - load over, and the max phy offset = 5"
    lines = (START, LOADED.format(end=9), later, shorter)
    report = read(tmp_path, *lines, since="2026-11-23")
    assert ["log_shorter"] == [each.sign for each in report.findings]
    assert all(entry.first >= "2026-11-23" for entry in report.entries)
    report = read(tmp_path, *lines, until="2026-11-22")
    assert 2 == len(report.entries)
    assert () == report.findings


def test_repeats_are_folded(tmp_path: Path) -> None:
    """However many different lines of one kind there are."""
    kind = "2026-11-22 22:16:0{} INFO ReadSocketService - slave[/10.0.0.1:5] request offset {}"
    report = read(tmp_path, START, *(kind.format(2 + n // 500, n // 2) for n in range(3000)))
    told = [e for e in report.entries if e.wording.name == "first_report"]
    assert ENTRIES_MAX + 1 == len(told)
    assert sum(entry.count for entry in told) == 3000


@pytest.mark.parametrize(
    ("named", "nearest"),
    [("4.4.0", "4.4.0"), ("4.9.2", "4.4.0"), ("5.1.0", "4.9.8"), ("5.5.1", "5.3.3")],
)
def test_a_named_release_has_the_wordings_before_it(
    named: str, nearest: str, tmp_path: Path
) -> None:
    """And a recording names the release itself."""
    report = choose_release(read(tmp_path, START), named)
    assert (nearest, named) == (report.release, report.recorded_release)


@pytest.fixture(name="lines", scope="module")
def read_real_lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The store.log of a real slave."""
    folder = unpack_logs("empty_first_file", tmp_path_factory.mktemp("logs"))
    return (folder / "slave1/logs/rocketmqlogs/store.log").read_bytes().splitlines(keepends=True)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), cuts=st.integers(0, 30), noise=st.integers(0, 200))
def test_damaged_logs_are_read(
    seed: int, cuts: int, noise: int, lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lines that are missing, moved or garbled change what is told, and stop nothing."""
    draw = random.Random(seed)
    changed = list(lines)
    for _ in range(cuts):
        changed.pop(draw.randrange(len(changed)))
    draw.shuffle(changed) if seed % 2 else None
    data = bytearray(b"".join(changed))
    for _ in range(noise):
        data[draw.randrange(len(data))] = draw.randrange(256)
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "store.log").write_bytes(data)
    report = read_logs(find_brokers([folder]))
    assert report.brokers[0].lines <= data.count(b"\n") + 1

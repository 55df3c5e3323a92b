"""Signs that several lines show together: on one side of each boundary, and on the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.broker_logs.folders import find_brokers
from brokers.broker_logs.reading import read_logs
from brokers.broker_logs.watching import BOUNDARY_LINES, FLAPS, UNREADABLE_LINES

START = "INFO main - last shutdown normally"
LOADED = "INFO main - load over, and the max phy offset = {}"
FILE = "INFO main - load /store/commitlog/{:020} OK"
ACCEPTED = "INFO AcceptSocketService - HAService receive new connection, /10.0.0.{}:5000"
REPORT = "INFO ReadSocketService - slave[/10.0.0.2:5000] request offset {}"
SENT = (
    "INFO WriteSocketService - master transfer data from {} to slave[/10.0.0.2:5000], "
    "and slave request {}"
)
LATE = "WARN GroupTransferService - transfer messsage to slave timeout, {}"
OUTSIDE = (
    "WARN {} - Offset not matched. Request offset: {}, firstOffset: 100, lastOffset: 200, "
    "mappedFileSize: 100, mappedFiles count: 1"
)
MAGIC = "WARN ReputMessageService - found a illegal magic code 0x0"
BEHIND = "INFO BrokerControllerScheduledThread1 - dispatch behind commit log {} bytes"
FALL = "INFO BrokerControllerScheduledThread1 - Slave fall behind master: {} bytes"
WAIT = "- [WATERMARK] Send Queue Size: 3 SlowTimeMills: {}"
RATIO = "INFO StoreScheduledThread1 - physic disk maybe full soon, so reclaim space, {}"
TRUNCATED = (
    "WARN main - maxPhyOffsetOfConsumeQueue({}) >= processOffset(70), truncate dirty logic files"
)
SET = "INFO ReadSocketService - Notify the syncStateSet has been changed into [{}]."
NO_FILE = "ERROR x - create mapped file2 error, topic: T clientAddr: 10.0.0.9"
LOGS = {"Offset not": "storeerror", "behind": "broker", "[WATERMARK]": "watermark"}

CASES: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "ahead of the recovered end": (
        (START, LOADED.format(90), REPORT.format(91)),
        {"slave_ahead"},
    ),
    "at the recovered end": ((START, LOADED.format(90), REPORT.format(90)), set()),
    "ahead of an earlier end, after copying": (
        (START, LOADED.format(90), REPORT.format(90), SENT.format(90, 90), REPORT.format(95)),
        set(),
    ),
    "ahead, end not known": ((REPORT.format(91),), set()),
    "ahead after a failed roll": (
        (START, LOADED.format(9), NO_FILE, START, LOADED.format(90), REPORT.format(91)),
        {"put_without_file", "torn_roll"},
    ),
    "ahead by the minute": ((FALL.format(-1),), {"slave_ahead"}),
    "a stranger by the minute": ((FALL.format(-4123389833770013789),), {"stranger_reports"}),
    "as long as a log may be": ((FALL.format(-(1 << 56)),), {"slave_ahead"}),
    "longer than any log": ((FALL.format(-(1 << 56) - 1),), {"stranger_reports"}),
    "as far ahead as the master was long": (
        (START, LOADED.format(90), FALL.format(-90)),
        {"slave_ahead"},
    ),
    "further ahead than the master was long": (
        (START, LOADED.format(90), FALL.format(-91)),
        {"stranger_reports"},
    ),
    "ahead of a master that was longer": (
        (START, LOADED.format(90), START, LOADED.format(10), REPORT.format(100)),
        {"log_shorter", "slave_ahead"},
    ),
    "ahead of an empty master": (
        (START, LOADED.format(0), FALL.format(-(1 << 40))),
        {"slave_ahead"},
    ),
    "a text for a report": (
        (START, LOADED.format(90), REPORT.format(5135868584551137568)),
        {"stranger_reports"},
    ),
    "a report below zero": ((REPORT.format(-7),), {"stranger_reports"}),
    "asks for a place below zero": (
        (OUTSIDE.format("WriteSocketService", -7),),
        {"stranger_reports"},
    ),
    "asks for a place that no slave can have": (
        (OUTSIDE.format("WriteSocketService", 5135868584551137568),),
        {"stranger_reports"},
    ),
    "not behind by the minute": ((FALL.format(0),), set()),
    "an empty slave at the last file": (
        (START, FILE.format(0), FILE.format(100), LOADED.format(150), SENT.format(100, 0)),
        {"last_file_only"},
    ),
    "an empty slave at the only file": (
        (START, FILE.format(100), LOADED.format(150), SENT.format(100, 0)),
        set(),
    ),
    "then it has bytes of another file": (
        (START, FILE.format(0), LOADED.format(150), SENT.format(100, 0), REPORT.format(30)),
        {"last_file_only", "wrong_first_file"},
    ),
    "then it goes on where it was sent from": (
        (START, FILE.format(100), LOADED.format(150), SENT.format(100, 0), REPORT.format(100)),
        set(),
    ),
    "positioned above a put": (
        (SENT.format(100, 0), LATE.format(100)),
        {"slave_wait_failed", "positioned_above_put"},
    ),
    "positioned below a put": ((LATE.format(101), SENT.format(100, 0)), {"slave_wait_failed"}),
    "outrun": ((OUTSIDE.format("WriteSocketService", 99),), {"slave_outrun"}),
    "beyond the last file": ((OUTSIDE.format("WriteSocketService", 201),), {"slave_ahead"}),
    "dispatch below the files": ((OUTSIDE.format("ReputMessageService", 99),), {"dispatch_outrun"}),
    "flush below the files": ((OUTSIDE.format("FlushRealTimeService", 99),), {"flush_outrun"}),
    "no next file": (
        (OUTSIDE.format("GroupCommitService", 200),) * BOUNDARY_LINES,
        {"next_file_missing"},
    ),
    "no next file for a moment": (
        (OUTSIDE.format("GroupCommitService", 200),) * (BOUNDARY_LINES - 1),
        set(),
    ),
    "no record, again and again": ((MAGIC,) * UNREADABLE_LINES, {"dispatch_stuck"}),
    "no record for a moment": ((MAGIC,) * (UNREADABLE_LINES - 1), set()),
    "the dispatch stands": ((BEHIND.format(5), BEHIND.format(5)), {"dispatch_behind"}),
    "the dispatch comes nearer": ((BEHIND.format(5), BEHIND.format(4)), set()),
    "the log is shorter": (
        (START, LOADED.format(90), START, LOADED.format(80)),
        {"log_shorter"},
    ),
    "the log is longer": ((START, LOADED.format(90), START, LOADED.format(91)), set()),
    "the store is empty": ((START, LOADED.format(90), START, LOADED.format(0)), {"store_emptied"}),
    "queues knew more": ((TRUNCATED.format(71),), {"tail_lost"}),
    "queues knew the last message's end": ((TRUNCATED.format(70),), set()),
    "one host connects often": ((ACCEPTED.format(1),) * FLAPS, {"flapping"}),
    "one host connects less often": ((ACCEPTED.format(1),) * (FLAPS - 1), set()),
    "many hosts connect": (tuple(ACCEPTED.format(n) for n in range(FLAPS)), set()),
    "sends wait": ((WAIT.format(201),), {"sends_wait"}),
    "sends wait a little": ((WAIT.format(200),), set()),
    "the disk fills": ((RATIO.format("0.76"),), {"disk_filling"}),
    "there is no folder": ((RATIO.format("-1.0"),), {"disk_unknown"}),
    "a member leaves": ((SET.format("1, 2"), SET.format("1")), {"set_shrank"}),
    "a member comes": ((SET.format("1, 2"), SET.format("1, 2, 3")), set()),
}


@pytest.mark.parametrize("name", CASES)
def test_lines_that_are_a_sign_together(name: str, tmp_path: Path) -> None:
    """A second lies between two lines."""
    lines, expected = CASES[name]
    for number, line in enumerate(lines):
        log = next((log for part, log in LOGS.items() if part in line), "store")
        with (tmp_path / f"{log}.log").open("a", encoding="utf-8") as file:
            file.write(f"2026-11-22 22:16:{number:02} {line}\n")
    report = read_logs(find_brokers([tmp_path]))
    assert expected == {finding.sign for finding in report.findings}


@pytest.mark.parametrize(("seconds", "is_flapping"), [(30, True), (31, False)])
def test_flapping_takes_a_minute_and_a_half(
    seconds: int, is_flapping: bool, tmp_path: Path
) -> None:
    """As many connections over a longer time are none."""
    times = [number * seconds for number in range(FLAPS)]
    text = "".join(f"2026-11-22 22:{t // 60:02}:{t % 60:02} {ACCEPTED.format(1)}\n" for t in times)
    (tmp_path / "store.log").write_text(text, encoding="utf-8")
    report = read_logs(find_brokers([tmp_path]))
    assert is_flapping is bool(report.findings)

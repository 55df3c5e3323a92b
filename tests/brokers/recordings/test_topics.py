"""Topics of recorded brokers: what was answered and not made, what files give back, versions.

The recordings are of experiments on real brokers of 4.4.0 (``NOTICE.md`` beside them).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.ahead.told import Telling, read_logs
from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from brokers.recordings.tables.symbols import Symbols, name_stamp
from brokers.recordings.tables.topics import TopicChange, TopicSide
from reference.decisions.metadata.broker_tables import DataVersion, VersionedTable
from tests.brokers.recordings.shared import FOUND

Change = Callable[[Event], Event | None]
"""What becomes of an event; None: it is left out."""

MADE = "create new topic [TopicConfig [topicName="
REMARK = 21
"""Of ``deleted_topic_back``: the remark that ``topics.json`` was emptied."""


ASKED = "updateAndCreateTopic called by <peer>"


def read(name: str) -> Recording:
    """One of the recordings."""
    return read_recording(FOUND / f"{name}.jsonl")


def change_all(recording: Recording, change: Change) -> Recording:
    """The recording with every event changed."""
    changed = (change(event) for event in recording.events)
    return evolve(recording, events=tuple(event for event in changed if event is not None))


def leave_out(is_left_out: Callable[[Event], bool]) -> Change:
    """Without some events."""
    return lambda event: None if is_left_out(event) else event


def is_log(event: Event) -> bool:
    """A line of a broker's log."""
    return event.kind == "log"


def tell_made(event: Event) -> Event:
    """The log tells that TX was made when its request was logged."""
    if event.seq != 22:
        return event
    return evolve(event, data={**event.data, "msg": f"{MADE}TX, readQueueNums=1]]"})


def nightly(*values: Any) -> Any:
    """A case that takes longer than its alike."""
    return pytest.param(*values, marks=pytest.mark.nightly)


@pytest.mark.parametrize(
    ("name", "change", "seq"),
    [
        ("topic_answer", leave_out(is_log), None),
        ("topic_answer", tell_made, 24),
        ("deleted_topic_back", leave_out(lambda event: event.seq == REMARK), 35),
        ("deleted_topic_back", leave_out(is_log), 19),
        ("topic_unwritable", leave_out(lambda event: event.kind == "note"), 51),
        ("equal_versions", leave_out(lambda event: event.seq == 75), 130),
        ("equal_versions", leave_out(lambda event: event.seq == 252), 249),
        ("group_skip_old", leave_out(lambda event: event.seq == 136), 146),
    ],
    ids=[
        "an answered topic is made up to a second later",
        "a topic that the log tells of is in the table",
        "no file is lost without a cause",
        "a version has its changes",
        "no file stays as it is without a cause",
        "a broker makes no topic in silence",
        "a copy has its line",
        "progress has its consumer",
    ],
)
def test_what_explains_a_look_is_needed(name: str, change: Change, seq: int | None) -> None:
    """Without the line or the remark that explains it a look is refused; None: it conforms."""
    verdict = check_recording(change_all(read(name), change))
    assert verdict.first_unexplained_seq == seq, verdict.reason


def test_a_table_in_two_versions() -> None:
    """A kill before version and file leaves the file; a failed write leaves it too."""
    new = VersionedTable(DataVersion(-1.0), {"TBW102": None})
    change = TopicChange("T", -2.0, is_alone=False, is_made=True)
    begun = TopicSide(new, built_in=new.entries).begin(change)
    assert "T" in begun.table.entries
    assert begun.table.version == new.version
    [done, unwritten] = begun.list_steps(may_fail=True)
    assert done.file == done.table
    assert unwritten.table.version.counter == 1
    assert unwritten.file is None
    for side in (begun, unwritten):
        [restarted] = side.restart(-3.0, may_lack=False)
        assert restarted.table == VersionedTable(DataVersion(-3.0), {"TBW102": None})


def test_files_that_may_lack_something() -> None:
    """The file, or the one before it, or none (ConfigManager#load, #loadBak)."""
    new = VersionedTable(DataVersion(-1.0), {"TBW102": None})
    side = TopicSide(new, built_in=new.entries)
    for number, is_deletion in enumerate((False, True), start=2):
        change = TopicChange("T", -number, is_alone=False, is_deletion=is_deletion)
        side = side.begin(change).end(is_alone=False)
    found = [each.table for each in side.restart(-9.0, may_lack=True)]
    counters = [(table.version.counter, "T" in table.entries) for table in found]
    assert counters == [(2, False), (1, True), (0, False)]


def test_symbols_of_addresses_and_times() -> None:
    """An address stands for one symbol; a time of the day lies between its cause and its look."""
    symbols = Symbols().learn_address("10.0.0.1:10911", ["<master>", None])
    assert symbols.find_symbol("10.0.0.1:10911") == "<master>"
    again = symbols.learn_address("10.0.0.1:10922", ["<master>"])
    assert again.find_symbol("10.0.0.1:10922") == "10.0.0.1:10922"
    stamped = symbols.learn_stamp(name_stamp(100.0), 1_000_150, 200.0)
    assert (stamped.wall_low_ms, stamped.wall_high_ms) == (999_949.0, 1_000_051.0)
    assert stamped.may_be_stamp(name_stamp(300.0), 1_000_310, 400.0)
    assert not stamped.may_be_stamp(name_stamp(300.0), 1_000_200, 400.0)


def make_line(seq: int, repeat: int) -> Event:
    """A line of a master's log, the ``repeat``-th of its kind."""
    data = {"node": "master", "msg": f"{MADE}T{seq}, readQueueNums=1]]", "repeat": repeat}
    return Event(seq, seq, float(seq), "log", data)


def test_lines_that_may_be_left_out_tell_nothing() -> None:
    """From the seventh equal line of a process on, up to its end."""
    lines = [make_line(seq, repeat) for seq, repeat in ((1, 5), (2, 6), (4, 8), (9, 1))]
    end = Event(7, 7, 7.0, "node_kill9", {"node": "master"})
    start = Event(0, 0, 0.0, "broker_started", {"node": "master"})
    logs = read_logs([start, *lines[:3], end, lines[3]], ["master"])
    assert [line.name for line in logs.lines] == ["T1", "T2", "T9"]
    assert [logs.is_told("master", Telling.TOPIC_ASKED, n) for n in (2, 3, 7)] == [
        True,
        False,
        True,
    ]


def make_topic_line(seq: int, message: str) -> Event:
    """A line of a master's log."""
    return Event(seq, seq, float(seq), "log", {"node": "master", "msg": message})


@pytest.mark.parametrize(
    ("lines", "is_asked"),
    [
        ([ASKED, f"{MADE}T, readQueueNums=1]]"], True),
        ([ASKED], True),
        ([ASKED, f"{MADE}OTHER, readQueueNums=1]]"], False),
        ([ASKED, ASKED, f"{MADE}OTHER, readQueueNums=1]]"], True),
        ([f"{MADE}T, readQueueNums=1]]"], False),
    ],
)
def test_an_answered_topic_is_the_one_that_is_made(lines: list[str], is_asked: bool) -> None:
    """Unless it is not made at all, or two requests overlap."""
    events = [make_topic_line(seq, line) for seq, line in enumerate(lines, 1)]
    start = Event(0, 0, 0.0, "broker_started", {"node": "master"})
    logs = read_logs([start, *events], ["master"])
    assert logs.has_request("master", "T", 3) is is_asked

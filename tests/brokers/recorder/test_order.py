"""Lines in the order of time, and what is written down before they have one."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.recorder import journal as journal_module
from brokers.recorder.journal import Journal, open_journal
from brokers.recorder.line import Line
from brokers.recorder.merging import MergeBuffer


def make_line(wall_ms: float, number: int = 0) -> Line:
    """A line of the recorder's own."""
    return Line(wall_ms, "ha_report", {"link": "link_s", "conn": 1, "slave_offset": number})


def test_lines_leave_in_order_after_the_delay() -> None:
    """Equal times as they came."""
    buffer = MergeBuffer(delay_ms=10)
    for wall_ms, number in ((5, 1), (3, 2), (5, 3), (9, 4)):
        buffer.add(make_line(wall_ms, number))
    assert [2, 1, 3] == [line.fields["slave_offset"] for line in buffer.take(15)]
    assert 1 == len(buffer)


def test_a_late_line_gets_the_stamp_of_the_one_before() -> None:
    """No line of a recording is earlier than its predecessor."""
    buffer = MergeBuffer(delay_ms=10)
    buffer.add(make_line(8))
    list(buffer.take(20))
    buffer.add(make_line(5))
    assert [8.0] == [line.wall_ms for line in buffer.take(20)]
    assert 1 == buffer.late_lines


def test_the_buffer_is_bounded() -> None:
    """The oldest leave early."""
    buffer = MergeBuffer(delay_ms=1000, lines_max=3)
    for number in range(5):
        buffer.add(make_line(number, number))
    assert [0, 1] == [line.fields["slave_offset"] for line in buffer.take(5)]
    assert buffer.is_full


def list_numbers(lines: list[Line]) -> list[int]:
    """What tells them apart."""
    return [line.fields["slave_offset"] for line in lines]


def test_the_journal_has_what_the_recording_lacks(tmp_path: Path) -> None:
    """Whatever was written and not kept comes back, in order, and again after a second end."""
    base = tmp_path / "pair.jsonl"
    journal, missing = open_journal(base, 0)
    assert [] == missing
    journal.add([make_line(number, number) for number in range(4)])
    for kept, left in ((1, [1, 2, 3]), (1, [1, 2, 3]), (3, [3]), (4, [])):
        again, missing = open_journal(base, kept)
        assert left == list_numbers(missing)
        assert 4 == again.written
        again.close(is_done=False)


def test_a_line_that_was_not_written_whole_is_left_out(tmp_path: Path) -> None:
    """Nor anything behind it in its file."""
    base = tmp_path / "pair.jsonl"
    journal, _ = open_journal(base, 0)
    journal.add([make_line(number, number) for number in range(3)])
    path = journal.files[0].file.path
    data = path.read_bytes()
    for end in range(0, len(data), 17):
        path.write_bytes(data[:end])
        _, missing = open_journal(base, 0)
        assert list(range(data[: end + 1].count(b"\n"))) == list_numbers(missing)


def write_many(journal: Journal, count: int, keep_behind: int) -> None:
    """Lines, all but the latest of which the recording has."""
    for number in range(count):
        journal.add([make_line(number, number)])
        journal.kept = max(0, journal.written - keep_behind)


def test_the_files_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay small while the recording keeps up, and lose nothing."""
    monkeypatch.setattr(journal_module, "TURN_BYTES", 500)
    base = tmp_path / "pair.jsonl"
    journal, _ = open_journal(base, 0)
    write_many(journal, 200, keep_behind=5)
    assert all(each.file.path.stat().st_size < 2000 for each in journal.files)
    _, missing = open_journal(base, 195)
    assert list(range(195, 200)) == list_numbers(missing)


def test_nothing_is_emptied_that_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the recording does not take lines, both files grow."""
    monkeypatch.setattr(journal_module, "TURN_BYTES", 500)
    base = tmp_path / "pair.jsonl"
    journal, _ = open_journal(base, 0)
    write_many(journal, 100, keep_behind=1000)
    _, missing = open_journal(base, 0)
    assert list(range(100)) == list_numbers(missing)

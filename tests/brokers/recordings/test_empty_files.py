"""A put makes the file of its message before it looks at the message; one too large leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.recordings.judging import CONFORMS, REJECTED, check_recording
from brokers.recordings.reading import read_recording
from tests.brokers.recordings.shared import DATA, change

EMPTY = DATA / "traces_edge" / "oversized_put_makes_a_file_440.jsonl"
LOOK_AT_MASTER, LOOK_AT_SLAVE = 120, 121
"""After two puts that were too large, before the first message."""


def list_made(path: Path) -> list[str]:
    """The steps that make a file without a byte."""
    (group,) = check_recording(read_recording(path), is_schedule_kept=True).groups
    assert group.word == CONFORMS
    return [a.instance for a in group.schedule if a.instance.startswith("create_")]


def test_two_puts_that_are_too_large_make_one_file() -> None:
    """Every slave makes its own at the first heartbeat."""
    assert list_made(EMPTY) == [
        "create_master_file",
        *(f"create_slave_file[{n}]" for n in range(3)),
    ]


@pytest.mark.parametrize("seq", [LOOK_AT_MASTER, LOOK_AT_SLAVE])
def test_no_second_file_is_made_while_the_first_has_room(seq: int) -> None:
    """A look at an empty log with two files is refused."""
    assert check_recording(change(EMPTY, seq, mapped_files=2)).verdict == REJECTED

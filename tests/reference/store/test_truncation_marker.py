"""What pull request 10816 keeps a recovery from, and what it does not.

It overwrites the first eight bytes behind a truncation: the next record's size and magic code.
"""

from __future__ import annotations

import pytest

from reference.store.content import tell_origins
from reference.store.store import get_max_physical_offset
from tests.reference.store.logs import lay_down, load, make_log

MARKER = bytes(8)
"""A size of 0 and no magic code: no record."""

SHAPES = [(30, 10)] * 4
"""Records of one length, as a producer of like messages sends them."""


def find_end_after_restart(data: bytes) -> int:
    """Where a log with these bytes ends once a killed process has been started again."""
    return get_max_physical_offset(load(lay_down(tell_origins(data, 1, 0), is_killed=True)))


def test_a_marker_ends_the_log_where_it_was_truncated() -> None:
    """Without it all old records return; with it none does."""
    log = make_log(SHAPES)
    end = log.ends[1]
    marked = log.data[:end] + MARKER + log.data[end + len(MARKER) :]
    assert find_end_after_restart(log.data) == log.end
    assert find_end_after_restart(marked) == end


@pytest.mark.parametrize(("shape", "returns"), [((30, 10), True), ((31, 10), False)])
def test_old_records_return_behind_a_new_one_of_the_same_length(
    shape: tuple[int, int], *, returns: bool
) -> None:
    """The new record covers the marker; if it ends where an old one began, that one counts."""
    log, longer = make_log(SHAPES), make_log([*SHAPES[:2], shape])
    end, new_end = log.ends[1], longer.ends[2]
    covered = log.data[:end] + longer.data[end:new_end] + log.data[new_end:]
    assert find_end_after_restart(covered) == (log.end if returns else new_end)

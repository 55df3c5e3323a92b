"""Each end of an argument's range is reached by bytes, or the nearest one that is, is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.abstraction import extremes as cases
from tests.abstraction.covering import find_cover
from tests.abstraction.extremes import list_reached
from tests.abstraction.forgetting import forget
from tests.abstraction.gap_examples import History
from tests.abstraction.group import FILE_SIZE
from tests.abstraction.steps import FLUSH_LEAST_PAGES

Make = Callable[[], History]

REACHED: list[tuple[str, str, str, Make]] = [
    ("restart_slave", "recovered_offset", "low", cases.cut_inside),
    ("restart_slave", "recovered_offset", "low", cases.cut_in_second_file),
    ("restart_slave", "recovered_offset", "low", cases.cut_at_seam),
    ("restart_slave", "recovered_offset", "high", cases.cut_behind_record),
    ("restart_slave_beyond_received", "recovered_offset", "low", cases.lack_one_byte),
    ("restart_slave_beyond_received", "recovered_offset", "high", cases.lack_all_but_one),
    ("restart_slave_beyond_received", "recovered_offset", "high", cases.lack_blank),
    ("restart_slave_beyond_received", "recovered_offset", "high", cases.read_on_in_stale_bytes),
    ("restart_slave_with_stale_bytes", "recovered_offset", "low", cases.lack_one_byte_of_old_life),
    ("restart_slave_with_stale_bytes", "recovered_offset", "high", cases.lose_page_before_blank),
    ("lose_master_power", "kept_offset", "low", cases.lose_all),
    ("lose_master_power", "kept_offset", "high", cases.lose_nothing),
    ("lose_master_power_in_record", "kept_offset", "high", cases.lose_nothing_of_blank),
    ("lose_master_power_in_record", "reached_offset", "low", cases.lose_last_byte),
    ("lose_master_power_in_record", "reached_offset", "high", cases.lose_page_of_properties),
    ("lose_slave_power", "kept_offset", "low", cases.lose_all_of_slave),
    ("lose_slave_power", "kept_offset", "high", cases.lose_nothing_of_slave),
    ("append_to_slave", "size_bytes", "low", cases.copy_bytes(1)),
    ("append_to_slave", "size_bytes", "high", cases.copy_bytes(200)),
    ("append_at_wrong_offset", "size_bytes", "low", cases.copy_to_wrong_place(1)),
    ("append_at_wrong_offset", "size_bytes", "high", cases.copy_to_wrong_place(100)),
    ("append_message", "size_bytes", "high", cases.put_bytes(504, is_followed=True)),
    ("append_other_message", "size_bytes", "high", cases.put_bytes(504, is_followed=False)),
    ("dispatch_master", "dispatched_offset", "high", cases.dispatch_bytes(200)),
    ("dispatch_slave", "dispatched_offset", "high", cases.dispatch_slave_bytes(200)),
]
"""Rule, argument, end, and a history whose last step reaches it."""

NEAREST: list[tuple[str, str, str, int, Make]] = [
    ("append_message", "size_bytes", "low", 91, cases.put_bytes(92, is_followed=True)),
    ("append_other_message", "size_bytes", "low", 91, cases.put_bytes(92, is_followed=False)),
    ("dispatch_master", "dispatched_offset", "low", 91, cases.dispatch_bytes(92)),
    ("dispatch_slave", "dispatched_offset", "low", 91, cases.dispatch_slave_bytes(92)),
    ("lose_master_power_in_record", "kept_offset", "low", 90, cases.lose_length_of_properties),
    (
        *("restart_master_with_stale_bytes", "recovered_offset", "low"),
        *(91, cases.write_before_stale_record(192)),
    ),
    (
        *("restart_master_with_stale_bytes", "recovered_offset", "high"),
        *(8, cases.write_before_stale_record(504)),
    ),
]
"""Ends that no bytes reach, and by how much the nearest case misses them.

No record has less than 92 bytes, none is taken for whole with less than 90 of them, and none ends
within the last 8 of a file.
"""


@pytest.mark.parametrize(("rule", "argument", "end", "make"), REACHED)
def test_an_end_is_reached(rule: str, argument: str, end: str, make: Make) -> None:
    """By the last step of the history."""
    found = [r for r in list_reached(make()) if (r.rule, r.argument) == (rule, argument)]
    assert any(r.value == getattr(r, end) for r in found), found


@pytest.mark.parametrize(("rule", "argument", "end", "distance", "make"), NEAREST)
def test_an_end_is_not_reached(
    rule: str, argument: str, end: str, distance: int, make: Make
) -> None:
    """The nearest case misses it by as much as is told."""
    found = [r for r in list_reached(make()) if (r.rule, r.argument) == (rule, argument)]
    assert found
    assert distance == min(abs(r.value - getattr(r, end)) for r in found)


@pytest.mark.parametrize(
    ("make", "least_pages", "rule", "flushed"),
    [
        (cases.flush_late_slave, 0, "flush_slave", FILE_SIZE + 50),
        (cases.flush_late_slave, FLUSH_LEAST_PAGES, "flush_slave_too_few_pages", FILE_SIZE),
        (cases.flush_full_late_slave, FLUSH_LEAST_PAGES, "flush_slave", 2 * FILE_SIZE),
    ],
)
def test_the_first_flush_of_a_late_slave(
    make: Callable[[int], History], least_pages: int, rule: str, flushed: int
) -> None:
    """``flushedWhere`` is 0 and looks at the first file, which has enough new pages or not."""
    history = make(least_pages)
    assert history.step is not None
    assert history.group.slave.log.flushed_where_bytes == flushed
    found, misses = find_cover(forget(history.before), history.step)
    assert found is not None, misses
    assert [action.rule_name for action in found.actions] == [rule]

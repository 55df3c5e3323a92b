"""The order of states on disk against sets of Python tuples."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_fuzz.search.row_order import choose_range, drop_known, restore, scramble, sort_distinct

WORDS = st.integers(0, (1 << 62) - 1) | st.integers(0, 3)


@st.composite
def draw_rows(draw: Any) -> Any:
    """Packed states of one to three words, some of them equal."""
    words = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[WORDS] * words), max_size=40))
    return np.array(rows, np.int64).reshape(len(rows), words)


def as_tuples(rows: Any) -> list[tuple[int, ...]]:
    """Rows as tuples, in their order."""
    return [tuple(map(int, row)) for row in rows]


@given(draw_rows())
def test_scrambled_states_are_restored(rows: Any) -> None:
    """And only the first word is another one."""
    scrambled = scramble(rows)
    assert (scrambled[:, 1:] == rows[:, 1:].view(np.uint64)).all()
    assert as_tuples(rows) == as_tuples(restore(scrambled))
    assert len(set(as_tuples(rows))) == len(set(as_tuples(scrambled)))


@given(draw_rows())
def test_each_row_is_kept_once_in_order(rows: Any) -> None:
    """Also where different rows share their first word, as these do that are not scrambled."""
    for given_rows in (scramble(rows), rows.view(np.uint64)):
        expected = sorted(set(as_tuples(given_rows)))
        assert expected == as_tuples(sort_distinct(given_rows))


@given(draw_rows(), st.data())
def test_what_is_known_is_dropped(rows: Any, data: Any) -> None:
    """Whatever else is known, also where first words are shared."""
    distinct = sort_distinct(rows.view(np.uint64))
    is_known = data.draw(st.lists(st.booleans(), min_size=len(distinct), max_size=len(distinct)))
    others = data.draw(st.booleans())
    known = sort_distinct(np.concatenate([distinct[np.array(is_known, bool)], distinct[:0]]))
    if others:
        known = sort_distinct(np.concatenate([known, distinct + np.uint64(1)]))
    expected = sorted(set(as_tuples(distinct)) - set(as_tuples(known)))
    assert expected == as_tuples(drop_known(distinct, known))


@given(draw_rows(), st.integers(1, 7))
def test_each_row_is_in_one_part(rows: Any, parts: int) -> None:
    """The parts, one behind the other, are all rows."""
    ordered = sort_distinct(scramble(rows))
    found = [as_tuples(choose_range(ordered, part, parts)) for part in range(parts)]
    assert as_tuples(ordered) == [row for part in found for row in part]


def test_hashes_spread_evenly() -> None:
    """Consecutive numbers fall into each of 16 parts about as often."""
    rows = np.arange(32_000, dtype=np.int64).reshape(-1, 2)
    ordered = sort_distinct(scramble(rows))
    counts = [len(choose_range(ordered, part, 16)) for part in range(16)]
    assert all(800 < count < 1200 for count in counts), counts

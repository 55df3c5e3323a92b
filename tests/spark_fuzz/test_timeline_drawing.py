"""The drawing of a schedule: every step and node, nothing overlaps, marks where they belong."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from properties.sentences import find_fault_steps
from reference.drawing import fill_lanes, list_lanes
from spark_fuzz.continuations import Continuations
from spark_fuzz.timeline_drawing import LETTER_WIDTH, Drawing, Row, draw
from tests.properties.refutations import KNOWN_SCHEDULES, KnownSchedule
from tests.structures import name_of

every_world: Callable[..., None] = pytest.mark.parametrize("known", KNOWN_SCHEDULES, ids=name_of)


def sample(known: KnownSchedule, inevitable_step: int) -> Continuations:
    """As if all continuations violate from this step on, and half of them before."""
    steps = len(known.schedule) + 1
    return Continuations(tuple(10 if n >= inevitable_step else 5 for n in range(steps)), 10)


def make_drawing(known: KnownSchedule, inevitable_step: int = 3) -> Drawing:
    """The drawing of a known schedule."""
    return draw(known.guarantee, known.steps, sample(known, inevitable_step))


@every_world
def test_every_step_and_every_word_is_drawn(known: KnownSchedule) -> None:
    """As the timeline on the terminal has it, in a lane for each node."""
    drawing = make_drawing(known)
    steps = known.steps
    assert [title for title, _ in list_lanes(steps[0].cluster)] == [x.title for x in drawing.lanes]
    for step, row in zip(steps[1:], drawing.rows, strict=True):
        assert step.action is not None
        texts = fill_lanes(step.cluster, step.action)
        words = " ".join(" ".join(f"{text.phrase} {text.state}" for text in texts).split())
        assert words == " ".join(" ".join(text.words for text in row.texts).split())
        assert step.index == row.number
    assert find_fault_steps(steps) == {row.number for row in drawing.rows if row.is_fault}
    assert all(row.marks for row in drawing.rows)


@every_world
def test_nothing_overlaps(known: KnownSchedule) -> None:
    """Neither words in a row, nor lanes, nor rows and bands; all is inside."""
    drawing = make_drawing(known)
    for row in drawing.rows:
        ends = [0.0, *(text.left + len(text.words) * LETTER_WIDTH for text in row.texts)]
        assert all(text.left >= end for text, end in zip(row.texts, ends, strict=False))
        assert ends[-1] <= drawing.width
    tops = sorted([row.top for row in drawing.rows] + [band.top for band in drawing.bands])
    assert len(set(tops)) == len(tops)
    assert all(after - top > 20 for top, after in pairwise(tops))
    assert tops[-1] < drawing.height
    assert all(len(band.words) * LETTER_WIDTH < drawing.width for band in drawing.bands)


def get_row(drawing: Drawing, number: int) -> Row:
    """The row of a step."""
    return drawing.rows[number - 1]


@every_world
def test_inevitability_and_violation_are_marked(known: KnownSchedule) -> None:
    """A band below the step; the violation below the last one; shares beside each step."""
    drawing = make_drawing(known)
    inevitable, violated = drawing.bands
    assert ("inevitable", "violated") == (inevitable.kind, violated.kind)
    assert get_row(drawing, 3).top < inevitable.top < get_row(drawing, 4).top
    assert violated.top > drawing.rows[-1].top
    assert known.guarantee in violated.words
    assert [0.5, 0.5, 1.0] == [row.share for row in drawing.rows[:3]]
    first = make_drawing(known, inevitable_step=0).bands[0]
    assert "from the beginning" in first.words
    assert first.top < drawing.rows[0].top + 1

"""Hunting for open cells: what is found refutes, is short, and fits into a certificate."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.judgement import find_needless_steps, is_refuted_by
from properties.verdict import Verdict, VerdictWord
from properties.worlds import find_world
from spark_fuzz import hunt
from tests.structures import SYNCHRONOUS_PAIR

OPEN = Verdict("message_is_stored_once", "none", VerdictWord.UNDECIDED, depth=2)
STUCK = Verdict("slaves_reach_the_masters_end", "every fault", VerdictWord.UNDECIDED, depth=6)


@pytest.mark.parametrize("cell", [OPEN, STUCK], ids=lambda v: v.guarantee)
def test_a_hunt_refutes_an_open_cell(cell: Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the way, or at rest; no step of what is found is needless."""
    monkeypatch.setattr(hunt, "SHORTENED_MAX", 2)
    found = hunt.hunt(SYNCHRONOUS_PAIR, cell, hunt.BATCH)
    assert found.word is VerdictWord.REFUTED
    assert None is found.depth
    column = find_world(SYNCHRONOUS_PAIR).get_column(cell.fault)
    sizes = find_world(SYNCHRONOUS_PAIR).make_search_parameters(column)

    def is_refuting(schedule: object) -> bool:
        return is_refuted_by(cell.guarantee, SYNCHRONOUS_PAIR, sizes, schedule)  # type: ignore[arg-type]

    assert is_refuting(found.schedule)
    assert not find_needless_steps(found.schedule, is_refuting)


def test_what_cannot_be_refuted_stays_open() -> None:
    """Random schedules prove nothing."""
    proved = evolve(OPEN, guarantee="acknowledged_is_kept_on_master")
    assert proved == hunt.hunt(SYNCHRONOUS_PAIR, proved, hunt.BATCH)


def test_a_weaker_column_needs_no_hunt() -> None:
    """What refutes under fewer faults refutes under more."""
    known = evolve(OPEN, word=VerdictWord.REFUTED, depth=None)
    harder = evolve(OPEN, fault="every fault")
    decided = hunt.decide(SYNCHRONOUS_PAIR, harder, [known], 0)
    assert evolve(known, fault="every fault") == decided
    assert harder == hunt.decide(SYNCHRONOUS_PAIR, harder, [], 0)

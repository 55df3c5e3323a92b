"""Mistakes made on purpose in rules: each has its place, and walks find it."""

from __future__ import annotations

import pytest

from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.judges.detection import (
    describe,
    describe_seeds,
    find_proved,
    find_rule,
    list_missed,
    list_planted_rules,
    measure_apart,
)

RULES = list(list_planted_rules())
FOUND = {"example": 3, "step": 7, "shrunk": 5, "seconds": 1.5, "claim": "c"}
WALK = {"violating": 9, "example": 2, "step": 4}


def make_row(**changes: object) -> dict[str, object]:
    """A row of the table."""
    usual = {"machine": FOUND, "weighted": WALK, "even": None, "kernel": None, "shortest": 5}
    return {"name": "n", "seeds": [], **usual, **changes}


def test_every_mistake_has_its_place_and_claims_to_violate() -> None:
    """Its text stands once in its file, and something is proved without it."""
    assert len(RULES) == len({rule.planted.name for rule in RULES}) > 40
    for rule in RULES:
        assert rule.structure in STRUCTURES
        assert find_proved(rule), rule.planted.name


def test_a_row_tells_what_each_walk_found() -> None:
    """In the order of the table's head; a dash for nothing."""
    assert describe(make_row()) == (
        *("n", "5", "example 3, step 7", "5 steps, 1.5 s"),
        *("9, first 2, step 4", "-", "-", ""),
    )
    kernel = {"share": 0.125, "step": 6}
    nothing = make_row(machine=None, shortest=None, kernel=kernel, seeds=[5, None, 3, 4, 9])
    assert describe(nothing)[1:4] == ("-", "-", "")
    assert describe(nothing)[-2:] == ("12.5%, step 6", "median 5, 4 to 9, missed by 1 of 5")
    assert describe_seeds([None, 1, None]) == "median inf, 1 to inf, missed by 2 of 3"


def test_what_a_plain_walk_finds_alone_is_missed() -> None:
    """Not what nothing finds."""
    rows = [
        make_row(name="both"),
        make_row(name="walk", machine=None),
        make_row(name="none", machine=None, weighted=None),
    ]
    assert ["walk"] == list_missed(rows)


@pytest.mark.parametrize("name", ["a slave delivers as well"])
def test_a_mistake_is_found_by_every_walk(name: str) -> None:
    """In a process that has it; without it, none of the claims would fail."""
    row = measure_apart(find_rule(name), 60, 2)
    assert row["machine"]["shrunk"] <= row["shortest"] + 1
    assert row["kernel"]["share"] > 0.2
    assert row["weighted"]["violating"] > 5
    assert all(row["seeds"])

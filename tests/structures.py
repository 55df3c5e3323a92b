"""The structures and parameters that tests run on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import list_other_structures
from properties.worlds.replication.world import CERTIFIED_GROUPS, ClaimedGroup

GROUPS = list(CERTIFIED_GROUPS)
"""Every structure that has a certificate."""

SYNCHRONOUS_PAIR = ClaimedGroup()
"""SYNC_MASTER, ASYNC_FLUSH, one slave: RocketMQ's stock synchronous pair."""

OTHER_STRUCTURES = list(list_other_structures())
"""Every structure of the other worlds."""


def leave_large_to_night(structures: Iterable[Any], slaves_max: int = 1) -> list[Any]:
    """Cases of a test: groups of more slaves than this are looked at by the nightly run."""
    return [
        pytest.param(s, marks=[pytest.mark.nightly] * (getattr(s, "slaves", 0) > slaves_max))
        for s in structures
    ]


def leave_most_to_night(cases: Iterable[Any], by_day: int) -> list[Any]:
    """Cases of a test that are alike: so many run with every change, the others nightly.

    Those are spread evenly, the first one among them, so that neighbours do not stand for all.
    """
    found = list(cases)
    chosen = {number * len(found) // by_day for number in range(by_day)}
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for number, case in enumerate(found)
        for marks in [[pytest.mark.nightly] * (number not in chosen)]
    ]


def allow_two_of_each(structure: ClaimedStructure) -> Any:
    """A log or a queue of a few bytes or messages, every fault at most twice."""
    return structure.world.make_search_parameters(structure.world.everything)


TWO_OF_EACH = allow_two_of_each(SYNCHRONOUS_PAIR)
"""The same for replication."""


def name_of(value: object) -> str:
    """A readable test id."""
    return str(getattr(value, "name", value))

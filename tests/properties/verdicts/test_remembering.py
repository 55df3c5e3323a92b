"""Verdicts that were proved before are the same as those that are proved now."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import define, evolve, field

from properties.scenarios.analysis.log import analyse_log
from properties.verdicts.certificates import load_cells
from properties.verdicts.remembering import decode_verdict, encode_verdict, remember, remember_in
from properties.worlds.replication.structures import STOCK_PAIR
from reference.configuration.deployments import change_master, sample_group


@define
class Store:
    """One in memory."""

    known: dict[str, Any] = field(factory=dict)

    def recall(self, key: str) -> Any | None:
        """What was kept."""
        return self.known.get(key)

    def keep(self, key: str, answer: Any) -> None:
        """Keep it."""
        self.known[key] = answer


def make_key(*parts: object) -> str:
    """A key that only depends on what was asked."""
    return repr(parts)


def test_every_verdict_survives_as_data() -> None:
    """With its schedule, its lemmas and all that is said of it."""
    for verdict in load_cells(STOCK_PAIR).values():
        for each in (verdict, evolve(verdict, disputed=("F101",), lemmas=("a", "b"), depth=3)):
            assert decode_verdict(encode_verdict(each)) == each


def test_what_was_decided_is_not_decided_again() -> None:
    """Inside of a store, and as long as nothing is damaged; without a store always."""
    cells = tuple(load_cells(STOCK_PAIR).values())[:3]
    calls = []

    def decide() -> Any:
        calls.append(1)
        return cells

    store = Store()
    with remember_in(store, make_key):
        assert cells == remember("x", (1,), decide) == remember("x", (1,), decide)
        assert 1 == len(calls)
        assert cells == remember("x", (2,), decide)
        assert 2 == len(calls)
        store.known = {key: [{"word": "nonsense"}] for key in store.known}
        assert cells == remember("x", (1,), decide)
        assert 3 == len(calls)
        store.known = {key: [] for key in store.known}
        assert cells == remember("x", (1,), decide)
        assert 4 == len(calls)
    remember("x", (1,), decide)
    assert 5 == len(calls)


@pytest.mark.parametrize("slaves", [0, 1])
def test_a_group_is_the_same_when_remembered(slaves: int) -> None:
    """Vacuous cells and others; other sizes are another question."""
    pair = sample_group()
    group = evolve(pair, slaves=pair.slaves[:slaves])
    store = Store()
    with remember_in(store, make_key):
        first = analyse_log(group)
        assert 1 == len(store.known)
        assert first == analyse_log(group)
        analyse_log(change_master(group, "haTransferBatchSize", "65536"))
        assert 2 == len(store.known)

"""Refuted verdicts of the stock pair in the sizes of installed brokers."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.scenarios import stock_sizes
from properties.scenarios.stock_sizes import (
    BEGINNINGS,
    FILES,
    NOT_SEARCHED,
    OLD,
    PAIR,
    StockVerdict,
    is_confirmed,
    list_fill_sizes,
    list_refuted,
    load,
    make_begin,
    make_stock_parameters,
    say_stock,
    search_from,
)
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import record_violation
from properties.z3.bounded_search import BoundedSearch

EVERY_FAULT = PAIR.world.every_fault
STOCK = make_stock_parameters(EVERY_FAULT)
COPIED = [*BEGINNINGS][-1]
"""The beginning of some 65,000 steps."""


def name_of(verdict: StockVerdict) -> str:
    """A readable test id."""
    return f"{verdict.guarantee}, {verdict.fault}"


KNOWN = [verdict for verdict in load().values() if verdict.schedule]


def test_each_refuted_guarantee_was_searched() -> None:
    """With these rules: ``python -m properties.scenarios.stock_sizes`` searches again."""
    assert {(v.guarantee, v.fault) for v in list_refuted()} == set(load())
    assert 100 < len(KNOWN)


@pytest.mark.parametrize(
    "verdict",
    [pytest.param(v, marks=[pytest.mark.nightly] if v.beginning == COPIED else []) for v in KNOWN],
    ids=name_of,
)
def test_the_reference_confirms_it(verdict: StockVerdict) -> None:
    """Every step is possible with files of 1 GiB, and the last one breaks the guarantee."""
    assert is_confirmed(verdict)


def test_nothing_is_longer_than_in_small_sizes() -> None:
    """A schedule from the initial state is no longer than the certificate's, nor one from later."""
    for verdict in KNOWN:
        small = load_cells(PAIR)[verdict.guarantee, verdict.fault].schedule
        assert len(verdict.schedule) <= len(small)
        assert verdict.depth_searched < len(verdict.schedule)


ALONE = [verdict for verdict in KNOWN if verdict.beginning != COPIED][::12]


def test_what_still_refutes_is_kept_and_said_to_be_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of rules; no shorter schedule is searched then, and none is claimed."""
    cells = [load_cells(PAIR)[v.guarantee, v.fault] for v in ALONE]
    monkeypatch.setattr(stock_sizes, "list_refuted", lambda: cells)
    kept = list(stock_sizes.renew_all(lambda text: None))
    assert [evolve(v, depth_searched=NOT_SEARCHED) for v in ALONE] == kept
    monkeypatch.setattr(stock_sizes, "load", lambda: {(v.guarantee, v.fault): v for v in kept})
    for cell in cells:
        assert "not searched again since rules have changed." in say_stock(PAIR, cell)


def test_without_a_known_schedule_that_of_the_certificate_is_tried() -> None:
    """And if that refutes only in small files, none is known."""
    alone = [v for v in KNOWN if not v.beginning][::12]
    filled = [v for v in KNOWN if v.beginning][::12]
    for verdict in (*alone, *filled):
        cell = load_cells(PAIR)[verdict.guarantee, verdict.fault]
        broken = evolve(verdict, schedule=verdict.schedule[1:])
        for before in (None, broken):
            found = stock_sizes.renew_one(cell, before)
            assert found.schedule == (() if verdict.beginning else cell.schedule)
            assert NOT_SEARCHED == found.depth_searched


def test_what_is_damaged_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole, or inside; every verdict is then that of the certificate, or none."""
    monkeypatch.setattr(stock_sizes, "list_refuted", lambda: list_refuted()[:2])
    monkeypatch.setattr(stock_sizes, "read_content", lambda: None)
    assert 2 == len(list(stock_sizes.renew_all(lambda text: None)))
    monkeypatch.setattr(stock_sizes, "read_content", lambda: {"cells": [{}]})
    assert 2 == len(list(stock_sizes.renew_all(lambda text: None)))


@pytest.mark.parametrize(
    "beginning",
    [pytest.param(b, marks=[pytest.mark.nightly] if b == COPIED else []) for b in BEGINNINGS],
)
def test_a_beginning_leaves_room_for_a_frame(beginning: str) -> None:
    """At the end of the first file."""
    log = make_begin(beginning, EVERY_FAULT).master.log
    assert STOCK.mapped_file_size_bytes - STOCK.ha_transfer_batch_size_bytes == log.max_offset
    assert 256 == len([*list_fill_sizes(STOCK)])


def test_each_kind_is_told() -> None:
    """How many steps, after what, and what was searched."""
    told = {say_stock(PAIR, verdict) for verdict in list_refuted()}
    ends = (" 3 steps break it, and no fewer.", f" 3 steps break it, {OLD}.")
    assert any(text.endswith(ends) for text in told)
    for beginning in BEGINNINGS:
        assert any(beginning in text for text in told)
    assert "" == say_stock(PAIR.world.structures[0], list_refuted()[0])


def test_offsets_have_enough_bits() -> None:
    """Fewer are refused, not cut off."""
    search = BoundedSearch(PAIR, EVERY_FAULT, sizes=STOCK, offset_bits=30)
    name = list_refuted()[0].guarantee
    with pytest.raises(OverflowError):
        search.find_shortest({name: record_violation(PAIR, name)}, depth_limits={name: 1})
    assert STOCK.ghost_log_size_max_bytes == FILES * STOCK.mapped_file_size_bytes


@pytest.mark.nightly
def test_the_search_finds_the_same_again() -> None:
    """Under every fault, where schedules are short."""
    depths = {v.guarantee: len(v.schedule) for v in KNOWN if v.fault == EVERY_FAULT.name}
    found = search_from("", EVERY_FAULT, depths, lambda text: None)
    assert depths == {name: answer.depth for name, answer in found.items()}

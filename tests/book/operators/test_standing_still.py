"""The causes of a slave's max offset that stands still: verdicts, and what to do."""

from __future__ import annotations

import pytest
from attrs import evolve

from book.operators.page import PAGE
from book.operators.standing_still import CLAIM, StandstillCause, find_procedure, load_causes
from properties.scenarios.procedures.procedures import try_out
from properties.verdicts.certificates import load_cells
from properties.worlds.replication.structures import STOCK_PAIR
from tests.properties.scenarios.summary.test_summary import summarise

every_cause = pytest.mark.parametrize("cause", load_causes(), ids=lambda c: c.procedure or c.do)


@every_cause
def test_a_cause_has_the_verdicts_it_relies_on(cause: StandstillCause) -> None:
    """Of the claim about offsets, in the stock pair."""
    cells = load_cells(STOCK_PAIR)
    assert [(n, w) for n, w in cause.cells] == [
        (n, cells[CLAIM, n].word.value) for n, _ in cause.cells
    ]
    assert bool(cause.codes) == bool(cause.procedure) != bool(cause.do)


@pytest.mark.parametrize(
    "cause", [c for c in load_causes() if c.procedure], ids=lambda c: c.procedure
)
def test_the_offset_moves_again(cause: StandstillCause) -> None:
    """After what is advised the claim holds; each procedure is about one of the row's faults."""
    procedure = evolve(find_procedure(cause.procedure), claim=CLAIM)
    assert procedure.fault in dict(cause.cells)
    assert try_out(procedure, procedure.advice).is_claim_kept


def test_every_broken_cell_has_a_cause() -> None:
    """A fault model that breaks the claim is in the table, or has failures of several causes."""
    told = {name for cause in load_causes() for name, word in cause.cells if word == "refuted"}
    fallen = {
        name
        for (claim, name), cell in load_cells(STOCK_PAIR).items()
        if claim == CLAIM and cell.word.value == "refuted"
    }
    combined = {
        "power loss of both",
        "master power and disk loss",
        "disk errors and power losses",
        "every fault",
        "disk errors",  # a slave that writes nothing is restarted, and is outrun then
    }
    assert fallen - combined == told


def test_codes_are_those_of_check() -> None:
    """Each code of the table is one that the screen knows for the stock pair."""
    known = {
        code
        for row in summarise("SYNC_MASTER", "ASYNC_FLUSH", 1, "false").rows
        for code in row.fallen
    }
    assert {code for cause in load_causes() for code in cause.codes} <= known


def test_the_page_has_the_table() -> None:
    """Under its own heading."""
    assert "standing still" in PAGE.parts
    assert "### A slave's max offset stands still" in PAGE.path.read_text(encoding="utf-8")

"""Findings of real brokers against proved cells: complete, alive, and never hidden."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from attrs import evolve

from properties.checkout import ROOT
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import find_cells
from properties.verdicts.findings.disputes import (
    DisputedCells,
    Finding,
    find_claim_disputes,
    load_findings,
    mark_disputed,
)
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import CLAIM_NAMES, FAULT_MODEL_NAMES, STRUCTURES
from properties.worlds.replication.structures import STOCK_PAIR
from reference.language.machine import Action

DELAY = STRUCTURES["delay/4.4.0"]
ORACLE = ROOT.parent / "shared" / "oracle"
FINDINGS = {finding.id: finding for finding in load_findings()}
CELLS = [(finding, cells) for finding in load_findings() for cells in finding.cells]


ANSWERED = {"F101", "F103", "F105", "F107", "F111"}
"""By rules: of torn records, kept blanks, files that cannot be made, an overtaken dispatch,
the next file of a full one."""

ANSWERED_OF_READING = {"F201", "F202", "F203", "F204", "F207", "F211"}
"""By the rules of the world of reading (`tests.properties.worlds.reading.test_findings`)."""


def test_every_finding_of_the_log_is_listed() -> None:
    """F101 to F120, each once, but those that a rule has answered; none about reading is left."""
    listed = [finding.id for finding in load_findings()]
    assert len(set(listed)) == len(listed)
    assert {f"F{n}" for n in range(101, 121)} - ANSWERED <= set(listed)
    assert not ANSWERED & set(listed)
    assert not ANSWERED_OF_READING & set(listed)


@pytest.mark.parametrize("finding", FINDINGS.values(), ids=str)
def test_a_finding_disputes_cells_or_says_why_not(finding: Finding) -> None:
    """Never both, never neither, and never without evidence."""
    assert bool(finding.cells) != bool(finding.no_cells)
    assert finding.evidence


@cache
def list_certified() -> tuple[tuple[object, Verdict], ...]:
    """Every certified cell of every release, with its structure."""
    return tuple((s, v) for s in STRUCTURES.values() for v in find_cells(s).values())


def test_nobody_disputes_what_fewer_faults_refute() -> None:
    """What falls in a column falls in each that has its faults and more."""
    refuted = [(s, v) for s, v in list_certified() if v.word is VerdictWord.REFUTED]
    undisputed = {(s, v.guarantee, v.fault) for s, v in refuted if not v.disputed}
    for structure, verdict in (pair for pair in refuted if pair[1].disputed):
        world = structure.world
        column = world.get_fault_model(verdict.fault)
        weaker = [f.name for f in world.fault_models if f.is_contained_in(column)]
        assert not {(structure, verdict.guarantee, fault) for fault in weaker} & undisputed


@pytest.mark.parametrize(("finding", "cells"), CELLS, ids=lambda each: getattr(each, "id", ""))
def test_no_selector_is_dead(finding: Finding, cells: DisputedCells) -> None:
    """Each entry names claims and columns that exist, and disputes some certified cell."""
    assert set(cells.claims) <= set(CLAIM_NAMES)
    assert set(cells.faults) <= set(FAULT_MODEL_NAMES)
    for claim in cells.claims:
        one = evolve(cells, claims=(claim,))
        assert any(one.has(s, v) for s, v in list_certified()), (finding.id, claim)


def test_a_dispute_leaves_the_engines_word() -> None:
    """Only the mark is added: certificates and provers say what follows from the rules."""
    cell = Verdict("no_message_is_delivered_twice", "none", VerdictWord.PROVED)
    (marked,) = mark_disputed(DELAY, [cell])
    assert cell == evolve(marked, disputed=())
    assert not marked.is_relied_on
    assert "disputed (F302)" == marked.dispute
    assert not evolve(marked, disputed=()).dispute


def test_a_claim_is_disputed_for_every_mixture_of_faults() -> None:
    """What needs no particular column disputes a set of faults as well."""
    assert ("F302",) == find_claim_disputes(DELAY, "no_message_is_delivered_twice")
    assert () == find_claim_disputes(STOCK_PAIR, "puts_are_answered")


def test_a_write_that_failed_makes_a_slave_stuck() -> None:
    """Finding F115: also where recovery ends before the first byte that was not written.

    A record is there, the next one failed, a file is full, and retention takes it. The slave stops
    in order, its recovery ends behind the first record, and it asks for what its master lacks.
    """
    other = ("append_other_message", 1)
    copied = (("transfer_batch[0]", 1), ("append_to_slave[0]", 1))
    failed = (("transfer_batch[0]", 1), ("swallow_append_error[0]", 1))
    blank = (("fill_file", 0), ("transfer_batch[0]", 2), ("append_to_slave[0]", 2))
    expiry = (("flush_master", 0), ("expire_master_file", 0))
    stop = (("begin_slave_stop[0]", 0), ("finish_slave_stop[0]", 0))
    sized = [*(other, *copied), *(other, *failed), *blank, *(other, *copied), *expiry, *stop]
    steps = [Action(name, {"size_bytes": size} if size else {}) for name, size in sized]
    restart = Action("restart_slave[0]", {"recovered_offset": 1})
    schedule = [*list_connecting(0), *steps, restart, *list_connecting(1)]
    column = STOCK_PAIR.world.get_fault_model("disk errors")
    parameters = STOCK_PAIR.world.make_search_parameters(column)
    assert is_refuted_by("slaves_reach_the_masters_end", STOCK_PAIR, parameters, schedule)


def list_connecting(offset: int) -> list[Action]:
    """A slave connects, asks from ``offset`` on, and the master places the transfer."""
    report = Action("receive_report[0]", {"slave_offset": offset})
    begun = [Action("connect_slave[0]"), Action("report_offset[0]"), report]
    return [*begun, Action("position_transfer[0]")]


@pytest.mark.skipif(not ORACLE.exists(), reason="the oracle tables are not beside this checkout")
def test_cited_rows_exist() -> None:
    """Each row that is evidence stands in a table, unless the text says that it is kept apart."""
    cited = {
        row
        for finding in load_findings()
        for text in finding.evidence
        for row in re.findall(r"\b[TB]\d-\d{4,5}\b(?! \(kept apart\))", text)
    }
    known = {
        json.loads(line)["id"]
        for path in ORACLE.rglob("*.jsonl")
        for line in path.read_text().splitlines()
        if '"id"' in line
    }
    assert cited
    assert set() == cited - known

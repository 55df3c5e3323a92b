"""Obligations in SMT-LIB: another solver, cvc5, confirms what Z3 has proved."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from properties.exports.smt_lib import Renderer, compute_file_name, write_smt_lib
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.z3.obligations import Obligation, ObligationKind, load_proof
from reference import ROCKETMQ_VERSION
from tests.structures import SYNCHRONOUS_PAIR, name_of

cvc5 = pytest.importorskip("cvc5", reason="cvc5 re-checks the proofs; it is in the extra `test`")

FULL_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/1 slave"]

ALONE = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/0 slaves"]

CONSUMER = STRUCTURES["reading/open slow/no offset check/last"]


def ask_cvc5(text: str) -> str:
    """What cvc5 answers to a file."""
    manager = cvc5.TermManager()
    solver, symbols = cvc5.Solver(manager), cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, symbols))
    return "".join(answers).strip()


@cache
def make_renderer() -> Renderer:
    """Writes the obligations of the synchronous pair."""
    return Renderer(load_proof(SYNCHRONOUS_PAIR))


def list_sample() -> list[Obligation]:
    """Every tenth obligation of the synchronous pair, of all three kinds."""
    return list(make_renderer().proof.list_obligations())[::10]


@pytest.mark.nightly
def test_cvc5_confirms_a_sample() -> None:
    """Each of the sample is unsat for cvc5 too."""
    sample = list_sample()
    assert set(ObligationKind) == {o.kind for o in sample}
    answers = {str(o): ask_cvc5(make_renderer().render(o)) for o in sample}
    assert {} == {o: answer for o, answer in answers.items() if answer != "unsat"}


@pytest.mark.nightly
def test_what_is_assumed_is_possible() -> None:
    """Without the negated claim a file is sat: nothing is proved from a contradiction."""
    for obligation in list_sample():
        lines = make_renderer().render(obligation).partition("; The claim does not hold.")
        assert "sat" == ask_cvc5(f"{lines[0]}(check-sat)"), str(obligation)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("guarantee", "fault"),
    [
        ("acknowledged_is_kept_on_master", "master power loss"),
        ("acknowledged_is_held_twice", "slave power loss"),
        ("message_is_stored_once", "none"),
    ],
)
def test_a_false_obligation_is_sat(guarantee: str, fault: str) -> None:
    """A refuted cell, written as if it were proved, does not pass."""
    false = Obligation(ObligationKind.SAFETY, guarantee, fault)
    assert (guarantee, fault) not in make_renderer().proof.proved
    assert "sat" == ask_cvc5(make_renderer().render(false))


def test_every_obligation_has_its_file(tmp_path: Path) -> None:
    """One file for each, in a folder that is named like the certificate; the text says what."""
    proof = load_proof(ALONE)
    out = tmp_path / "proofs"
    counts = write_smt_lib([ALONE], out)
    written = {p.relative_to(out) for p in out.rglob("*.smt2")}
    folder = "sync_master-sync_flush-0_slaves"
    expected = [Path(folder) / compute_file_name(o) for o in proof.list_obligations()]
    assert {folder: len(expected)} == counts
    assert sorted(expected) == sorted(written)
    file = out / folder / "consecution" / "append_message-0" / "pending_is_on_master.smt2"
    lines = file.read_text().splitlines()
    assert f"; Model of RocketMQ {ROCKETMQ_VERSION}, {ALONE.name}" == lines[0]
    assert "pending_is_on_master holds after one step of the rule append_message[0]" in lines[1]


def test_obligations_of_a_consumer_have_their_files(tmp_path: Path) -> None:
    """The folder names the world; what may strike is told in its words; a sample is confirmed."""
    write_smt_lib([CONSUMER], tmp_path / "proofs")
    folder = tmp_path / "proofs" / "reading-open_slow-no_offset_check-last"
    texts = [p.read_text() for p in sorted(folder.rglob("*.smt2"))]
    assert len(texts) == len(list(load_proof(CONSUMER).list_obligations()))
    assert any("faults: slave_stops, slave_kills." in text for text in texts)
    assert {"unsat"} == {ask_cvc5(text) for text in texts[::20]}


@pytest.mark.nightly
@pytest.mark.parametrize("structure", [FULL_PAIR, CONSUMER], ids=name_of)
def test_cvc5_confirms_every_obligation(structure: ClaimedStructure) -> None:
    """The whole proof of the pair that waits for disk and slave, and of a consumer."""
    renderer = Renderer(load_proof(structure))
    obligations = list(renderer.proof.list_obligations())
    answers = Counter(ask_cvc5(renderer.render(o)) for o in obligations)
    assert {"unsat": len(obligations)} == answers

"""A solver that runs out of its work leaves open what it was asked, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.comparison.upgrades import compute_changes
from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.log import decide, is_open_by_size
from properties.verdicts import certificates
from properties.verdicts.remembering import remember, remember_in
from properties.verdicts.verdict import (
    GAVE_UP_NOTE,
    Hints,
    Verdict,
    VerdictWord,
    search_structure,
)
from properties.worlds.replication.world import CERTIFIED_GROUPS, ClaimedGroup
from properties.worlds.toy import TOY
from properties.z3 import induction
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import SolverGaveUpError
from reference.worlds.replication.parameters import Parameters

ALONE = next(s for s in CERTIFIED_GROUPS if not s.slaves)
TANK = TOY.structures[0]
CLAIM = "acknowledged_is_kept_on_master"


def forget() -> None:
    """Let everything be asked again."""
    for cached in (
        induction._prove_lemmas,
        induction._list_inductive,
        certificates.decide_fault_models,
    ):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def forget_around() -> Iterator[None]:
    """Nothing of other tests, and nothing for them."""
    forget()
    yield
    forget()


@pytest.fixture(name="exhausted")
def exhaust(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 has next to no work that it may do."""
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 10)


@pytest.fixture(name="exhausted_claim")
def exhaust_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 gives up on one claim, whatever the faults."""
    ask = FaultSetProver._ask

    def give_up(self: FaultSetProver, name: str, *rest: Any) -> Any:
        if name == CLAIM:
            raise SolverGaveUpError(f"whether {name} follows", "canceled")
        return ask(self, name, *rest)

    monkeypatch.setattr(FaultSetProver, "_ask", give_up)


def split(structure: ClaimedStructure, verdicts: tuple[Verdict, ...]) -> tuple[set[Any], set[Any]]:
    """The cells that were given up, and those that differ from the certificate besides."""
    before = certificates.find_cells(structure)
    found = {(v.guarantee, v.fault): v for v in verdicts}
    assert before.keys() == found.keys()
    given_up = {key for key, v in found.items() if v.gave_up}
    assert all(found[key].note == GAVE_UP_NOTE for key in given_up)
    others = found.keys() - given_up
    return given_up, {key for key in others if before[key].word is not found[key].word}


def list_proved(structure: ClaimedStructure) -> set[tuple[str, str]]:
    """The proved cells of a certificate."""
    cells = certificates.find_cells(structure).items()
    return {key for key, cell in cells if cell.word is VerdictWord.PROVED}


@pytest.mark.usefixtures("exhausted")
def test_what_schedules_refute_stays_refuted() -> None:
    """All that rests on the lemmas is open, by the name of the question about them."""
    verdicts = decide(ALONE, Parameters())
    assert split(ALONE, verdicts) == (list_proved(ALONE), set())
    (query,) = {v.gave_up for v in verdicts} - {""}
    assert query.startswith("whether ")
    assert not any(map(is_open_by_size, verdicts))


@pytest.mark.usefixtures("exhausted_claim")
def test_one_question_costs_its_own_answers_only() -> None:
    """Every other cell is proved or refuted as before."""
    structure = ClaimedGroup()
    verdicts = decide(structure, Parameters())
    expected = {key for key in list_proved(structure) if key[0] == CLAIM}
    assert expected
    assert split(structure, verdicts) == (expected, set())
    assert {v.gave_up for v in verdicts if v.guarantee == CLAIM and v.gave_up} == {
        f"whether {CLAIM} follows, {fault}" for _, fault in expected
    }


@pytest.mark.usefixtures("exhausted")
def test_a_search_leaves_open_what_is_not_known_to_be_refuted() -> None:
    """And no certificate can be written of it."""
    cells = {(g, c.name) for g in TOY.claims for c in TOY.fault_models}
    verdicts = search_structure(TANK)
    assert {v.word for v in verdicts} == {VerdictWord.UNDECIDED}
    assert {(v.guarantee, v.fault) for v in verdicts if v.gave_up} == cells
    with pytest.raises(SolverGaveUpError, match="Z3 gave up"):
        certificates.save(TANK, verdicts, Path("nowhere"))


def test_known_schedules_need_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints that refute are taken over, whatever Z3 finds out."""
    known = search_structure(TANK)
    forget()
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 10)
    found = search_structure(TANK, hints=Hints(known))
    refuted = {(v.guarantee, v.fault) for v in known if v.word is VerdictWord.REFUTED}
    assert refuted
    again = [v for v in found if v.word is VerdictWord.REFUTED]
    assert refuted == {(v.guarantee, v.fault) for v in again}
    assert not any(v.is_shortest for v in again)


def test_nothing_that_was_given_up_is_remembered() -> None:
    """The next run asks again, for all of the structure."""
    fault = ALONE.world.every_fault.name
    decided = Verdict("a", fault, VerdictWord.PROVED)
    given_up = Verdict("b", fault, VerdictWord.UNDECIDED, gave_up="whether b follows")
    kept: dict[str, Any] = {}

    class Store:
        """One that tells what it keeps."""

        def recall(self, key: str) -> Any:
            """Nothing."""

        def keep(self, key: str, answer: Any) -> None:
            """It keeps everything."""
            kept[key] = answer

    with remember_in(Store(), lambda *parts: repr(parts)):
        remember("given up", (), lambda: (decided, given_up))
        assert not kept
        remember("decided", (), lambda: (decided,))
        assert kept


def test_an_upgrade_does_not_compare_what_was_given_up() -> None:
    """It is neither better nor worse."""
    proved = Verdict("a", "none", VerdictWord.PROVED)
    given_up = Verdict("a", "none", VerdictWord.UNDECIDED, gave_up="whether a follows")
    assert not compute_changes([proved], [given_up])
    assert not compute_changes([given_up], [proved])
    assert compute_changes([proved], [evolve(given_up, gave_up="")])

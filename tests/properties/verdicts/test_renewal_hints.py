"""What a renewal takes over of a certificate without asking again, and what it must ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.verdicts import certificates, renewal
from properties.verdicts import verdict as searched
from properties.verdicts.fingerprint import compute_seal
from properties.verdicts.renewal import renew
from properties.verdicts.verdict import VerdictWord, search_structure
from properties.worlds.toy import TOY
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import InductionStep, SolverGaveUpError, prove_lemmas, take_certified
from reference.language.rule import RuleBody, when
from reference.worlds.toy import Tank

TANK = TOY.structures[0]
OVERFLOWS = "tank_never_overflows"


def overfill(tank: Tank) -> RuleBody:
    """A bucket more than there is room for."""
    yield when(is_full=tank.level == tank.parameters.room)
    return evolve(tank, level=tank.level + 1)


def stir(tank: Tank) -> RuleBody:
    """Nothing changes that a lemma would not survive."""
    yield when(has_something=tank.level > 0)
    return evolve(tank, level=tank.level - 1)


def make_stricter(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It leaks only where its tap is open."""
    return {**named, "is_open": tank.is_open}


def make_weaker(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It may be filled through a closed tap."""
    return {"has_room": named["has_room"]}


@pytest.fixture(name="asked")
def _note_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that were asked whether they keep the lemmas."""
    asked: list[str] = []
    find_falsified = InductionStep.find_falsified

    def note(step: InductionStep, kept: list[str]) -> Any:
        asked.append(step.recorded.instance.rule.name)
        return find_falsified(step, kept)

    monkeypatch.setattr(InductionStep, "find_falsified", note)
    return asked


def compare_with_search(document: dict[str, Any]) -> None:
    """A renewal says in every cell what a search from nothing says."""
    renewed = renew(TANK, document).verdicts
    assert [v.word for v in renewed] == [v.word for v in search_structure(TANK)]


def test_one_more_condition_asks_no_rule(
    document: dict[str, Any], change: Callable[[str, Any], None], asked: list[str]
) -> None:
    """What was inductive is so with fewer steps, and no step of a schedule has become needless."""
    change("leak", make_stricter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searched, "remove_needless_steps", None)
        renew(TANK, document)
    assert not asked
    compare_with_search(document)


def test_one_condition_less_asks_its_rule_only(
    document: dict[str, Any], change: Callable[[str, Any], None], asked: list[str]
) -> None:
    """A shortened schedule may be possible now, so its steps are tried again."""
    change("fill", make_weaker)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searched, "remove_needless_steps", None)
        with pytest.raises(TypeError):
            renew(TANK, document)
    renew(TANK, document)
    assert {*asked} == {"fill"}


def test_a_rule_that_breaks_a_lemma_is_found(
    document: dict[str, Any], add: Callable[[Any], None], asked: list[str]
) -> None:
    """All rules are asked about what is left, and the claim that needed the lemma is refuted."""
    add(overfill)
    renewed = {(v.guarantee, v.fault): v for v in renew(TANK, document).verdicts}
    assert renewed[OVERFLOWS, "none"].word is VerdictWord.REFUTED
    assert {"overfill", "fill", "leak"} <= {*asked}
    compare_with_search(document)


@pytest.mark.parametrize("spoil", ["seal", "frame", "lemma"])
def test_what_was_proved_of_something_else_is_asked(
    document: dict[str, Any],
    change: Callable[[str, Any], None],
    asked: list[str],
    spoil: str,
) -> None:
    """A certificate that was edited, other initial states, another lemma."""
    fingerprint = document["fingerprint"]
    if spoil == "seal":
        document["seal"] = "0"
    elif spoil == "frame":
        fingerprint["frame"] = "0"
    else:
        fingerprint["lemmas"]["level_is_in_range"] = "0"
    change("leak", make_stricter)
    renew(TANK, document)
    assert {*asked} >= {"fill", "leak"}


def test_what_the_solver_gives_up_is_not_taken_over(
    document: dict[str, Any], add: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is proved by a question without an answer."""

    def give_up(*_: Any) -> Any:
        raise SolverGaveUpError("whether stir keeps the lemmas")

    add(stir)
    monkeypatch.setattr(InductionStep, "find_falsified", give_up)
    words = {v.word for v in renew(TANK, document).verdicts}
    assert VerdictWord.PROVED not in words


def test_certified_lemmas_are_not_proved_again(
    document: dict[str, Any], change: Callable[[str, Any], None], asked: list[str]
) -> None:
    """Only all of them, only inside the context, and only of what has a certificate."""
    certified = tuple(document["inductive_set"])
    change("leak", make_stricter)
    with take_certified(lambda structure: certified):
        assert prove_lemmas(TANK) == certified
        assert not asked
        assert prove_lemmas(TANK, certified[:1]) == certified[:1]
        assert asked
    asked.clear()
    change("leak", make_stricter)
    with take_certified(lambda structure: ()):
        assert prove_lemmas(TANK) == certified
    assert asked


def test_only_a_current_certificate_has_lemmas(
    document: dict[str, Any], change: Callable[[str, Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of other rules, and none that was edited."""
    monkeypatch.setattr(certificates, "read", lambda structure: document)
    assert certificates.find_lemmas(TANK) == tuple(document["inductive_set"])
    assert certificates.find_lemmas(evolve(TANK)) == certificates.find_lemmas(TANK)
    change("leak", make_stricter)
    assert not certificates.find_lemmas(TANK)
    monkeypatch.undo()
    monkeypatch.setattr(certificates, "read", lambda structure: document | {"seal": "0"})
    assert not certificates.find_lemmas(TANK)


def open_leaks(document: dict[str, Any], depth: int) -> None:
    """Let the certificate leave open what it refutes, as after a search of so many steps."""
    for cell in document["cells"]:
        if cell["verdict"] == "refuted":
            del cell["schedule"]
            cell.update(verdict="undecided", depth=depth)
    document["seal"] = compute_seal(document)


def test_what_was_open_is_not_searched_again(
    document: dict[str, Any],
    change: Callable[[str, Any], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With fewer steps there is no schedule of that depth either; with more ones nobody knows."""
    open_leaks(document, depth=2)
    monkeypatch.setattr(searched, "BoundedSearch", None)
    monkeypatch.setattr(renewal, "find_refutations", lambda *_, **__: {})
    change("leak", make_stricter)
    depths = {v.depth for v in renew(TANK, document).verdicts if v.word is VerdictWord.UNDECIDED}
    assert depths == {2}
    change("fill", make_weaker)
    depths = {v.depth for v in renew(TANK, document).verdicts if v.word is VerdictWord.UNDECIDED}
    assert depths == {None}


def test_what_was_never_asked_is_searched(
    document: dict[str, Any], change: Callable[[str, Any], None]
) -> None:
    """No search has failed about a claim without a verdict; a claim that has changed stays open."""
    open_leaks(document, depth=2)
    document["fingerprint"]["claims"]["tank_never_leaks"] = "0"
    document["seal"] = compute_seal(document)
    change("leak", make_stricter)
    left = [v for v in renew(TANK, document).verdicts if v.word is VerdictWord.UNDECIDED]
    assert [(v.guarantee, v.depth) for v in left] == [("tank_never_leaks", None)]
    document["cells"] = [c for c in document["cells"] if c["guarantee"] != "tank_never_leaks"]
    del document["fingerprint"]["claims"]["tank_never_leaks"]
    document["seal"] = compute_seal(document)
    compare_with_search(document)


def test_what_was_open_is_proved_where_that_is_possible(
    document: dict[str, Any], change: Callable[[str, Any], None]
) -> None:
    """A proof needs no search."""
    proved = next(c for c in document["cells"] if c["verdict"] == "proved")
    proved.update(verdict="undecided", depth=2)
    document["seal"] = compute_seal(document)
    change("leak", make_stricter)
    words = {(v.guarantee, v.fault): v.word for v in renew(TANK, document).verdicts}
    assert words[proved["guarantee"], proved["fault"]] is VerdictWord.PROVED


def test_what_all_faults_leave_open_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search answers for every fault model, unless it finds a schedule of more faults."""
    names = tuple(model.name for model in TOY.fault_models)
    made: list[tuple[str, ...]] = []

    class Noted(BoundedSearch):
        def __init__(
            self, structure: ClaimedStructure, fault_model: Any, *rest: Any, **more: Any
        ) -> None:
            made.append(fault_model.admitted)
            super().__init__(structure, fault_model, *rest, **more)

    monkeypatch.setattr(searched, "BoundedSearch", Noted)
    left = dict.fromkeys(names, (OVERFLOWS, "tank_never_leaks"))
    found = searched._search_together(TANK, left, (), TOY.sizes.search, 4, lambda text: None)
    assert {(OVERFLOWS, name) for name in names} == set(found)
    for (claim, fault), verdict in found.items():
        assert (claim, fault, 4) == (verdict.guarantee, verdict.fault, verdict.depth)
        assert VerdictWord.UNDECIDED is verdict.word
    assert [TOY.every_fault.admitted] == made


def test_what_is_open_under_one_model_is_left_to_its_search() -> None:
    """There is nothing to search together."""
    left = {TOY.every_fault.name: (OVERFLOWS,)}
    assert {} == searched._search_together(TANK, left, (), None, 4, lambda text: None)

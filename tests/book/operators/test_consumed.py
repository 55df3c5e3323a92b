"""The operators' answers from put to consumed are those of the system's certificates."""

from __future__ import annotations

import itertools

import pytest
from attrs import evolve

from book.chinese.pages import split_sections
from book.operators import consumed
from book.operators.cells import Reason, Reasons
from book.operators.consumed import EVERY_GROUP, NOT_ASKED, QUESTIONS, SITUATIONS, UNDECIDED
from properties.generated_text import SPEC
from properties.scenarios.procedures.procedures import find_page
from properties.scenarios.procedures.promotion import PromotionAdvice, load_advice
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import get_path, load_refuted
from properties.verdicts.storage.certificate_files import read_document
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.system.world import SYSTEM
from reference.language.machine import Action
from reference.worlds.system.state import SystemFaults


def read_cells(structure: object) -> dict[tuple[str, str], dict[str, object]]:
    """The cells of a certificate as they are stored."""
    cells = read_document(get_path(structure))["cells"]
    return {(cell["guarantee"], cell["fault"]): cell for cell in cells}


def say(answer: consumed.Answer) -> str:
    """The word of a certificate that an answer stands for."""
    if isinstance(answer, Reason):
        return "refuted"
    return {UNDECIDED: "undecided", "yes": "proved", NOT_ASKED: "vacuous"}[answer]


@pytest.mark.parametrize("fault_model", SITUATIONS.values())
def test_each_group_is_answered_as_its_certificate_says(fault_model: str) -> None:
    """The answers of a situation are those of its structures, each kind once."""
    rows = list(consumed.answer_all(fault_model))
    shown = sorted(tuple(map(say, answers)) for _, answers in rows)
    stored = []
    for structure in consumed.list_groups():
        cells = [read_cells(structure)[claim, fault_model] for claim in QUESTIONS.values()]
        stored.append(tuple("vacuous" if c.get("is_vacuous") else str(c["verdict"]) for c in cells))
    assert sorted(set(shown)) == sorted(set(stored))
    assert [groups for groups, _ in rows] == [EVERY_GROUP] or EVERY_GROUP not in dict(rows)


def test_every_situation_has_one_row() -> None:
    """Merged rows leave no situation out."""
    firsts = [row.situations for row in consumed.list_rows() if row.is_first]
    assert sorted(itertools.chain(*firsts)) == sorted(SITUATIONS)
    assert set(SITUATIONS.values()) <= {each.name for each in SYSTEM.fault_models}


def test_settings_tell_groups_apart() -> None:
    """No two structures have the same name in the table."""
    names = [consumed.name_settings(structure) for structure in SYSTEM.structures]
    assert len(set(names)) == len(names)


def test_letters_go_on_behind_z() -> None:
    """The 27th reason is A, the next one B."""
    listed = tuple(Reason(str(number), (), (), "", "") for number in range(28))
    letters = [Reasons(listed).get_letter(each) for each in listed]
    assert letters[24:] == ["y", "z", "A", "B"]


@pytest.mark.parametrize("advice", load_advice(), ids=lambda a: a.do)
def test_advice_has_the_verdicts_it_relies_on(advice: PromotionAdvice) -> None:
    """Each cell has the word that the advice was written for, and its recipe is on the page."""
    for name, claim, fault, word in advice.cells:
        cell = read_cells(STRUCTURES[name])[claim, fault]
        assert (cell["verdict"], cell.get("is_vacuous", False)) == (word, False)
    page = (SPEC / find_page(advice.recipe)).read_text(encoding="utf-8")
    assert advice.recipe in {section.anchor for section in split_sections(page)}
    assert advice.when in ("before", "after")


TAKEN_BY = {
    "both end": "proved",
    "master kill in a roll": "refuted",
    "master power loss": "refuted",
}
"""What the front page says of a synchronous pair: of stops and kills, and of a power loss."""


@pytest.mark.parametrize("fault_model", TAKEN_BY)
def test_the_front_page_says_what_the_certificate_says(fault_model: str) -> None:
    """With ASYNC_FLUSH, reading from slaves off; a promotion is asked where both end."""
    shown = STRUCTURES["system/sync master/async flush/closed/no offset check/first"]
    claims = list(QUESTIONS.values())[: 3 if fault_model == "both end" else 1]
    assert {read_cells(shown)[c, fault_model]["verdict"] for c in claims} == {TAKEN_BY[fault_model]}
    readme = " ".join((SPEC.parent / "README.md").read_text(encoding="utf-8").split())
    assert "A synchronous pair (`SYNC_MASTER`, `ASYNC_FLUSH`, one slave): - keeps" in readme
    assert "through stops and kills of both brokers" in readme
    assert "unless the master is stopped or killed while it makes a new file" in readme


def test_a_torn_roll_needs_no_kill() -> None:
    """The schedule under kills refutes with stops as well, so the sentence excludes both."""
    shown = STRUCTURES["system/sync master/async flush/closed/no offset check/first"]
    verdict = load_refuted(shown, "acknowledged_is_read_from_the_slave", "master kill in a roll")
    stop = (Action("begin_master_stop"), Action("finish_master_stop"))
    schedule = tuple(
        step
        for action in verdict.schedule
        for step in (stop if action.rule_name == "kill_master" else (action,))
    )
    limits = SystemFaults(master_stops=2, torn_rolls=1)
    parameters = evolve(shown.world.sizes.search, limits=limits)
    assert is_refuted_by(verdict.guarantee, shown, parameters, schedule)
    assert "torn_rolls" not in shown.world.get_fault_model("both end").admitted

"""Certificates after a change of rules or claims: what is renewed, and what is not known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.verdicts import certificates
from properties.verdicts.fingerprint import compute_difference
from properties.verdicts.renewal import list_added, renew, search_additions
from properties.verdicts.storage.certificate_files import read_document
from properties.verdicts.verdict import (
    InternalDisagreementError,
    VerdictWord,
    record_violation,
    search_structure,
)
from properties.worlds.toy import TOY
from properties.z3.bounded_search import BoundedSearch
from properties.z3.needless_steps import find_needless
from reference.language.operators import minimum
from reference.language.rule import RuleBody, when
from reference.worlds.toy import Tank

TANK = TOY.structures[0]
LEAKS = ("tank_never_leaks", "every fault")


def shut_tap(tank: Tank) -> RuleBody:
    """The tap is closed."""
    yield when(is_open=tank.is_open)
    return evolve(tank, is_open=False)


def pour(tank: Tank) -> RuleBody:
    """A bucket instead of the tap."""
    yield when(is_empty=tank.level == 0)
    return evolve(tank, level=1)


def stir(tank: Tank) -> RuleBody:
    """What is above the capacity is taken away, which is nothing."""
    yield when(has_something=tank.level > 0)
    return evolve(tank, level=minimum(tank.level, tank.parameters.room))


def make_stricter(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It leaks only where its tap is open."""
    return {**named, "is_open": tank.is_open}


def make_weaker(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It may be filled through a closed tap."""
    return {"has_room": named["has_room"]}


def test_nothing_has_changed(document: dict[str, Any]) -> None:
    """A certificate of these very rules is current, and knows every schedule as the shortest."""
    assert not certificates.compute_changes(TANK, document)
    assert all(cell.is_shortest for cell in certificates.decode_cells(TANK, document))


def test_a_condition_more_keeps_the_shortest(
    document: dict[str, Any], change: Callable[[str, Any], None]
) -> None:
    """Where behaviour is only taken away, a schedule that refutes still is still the shortest."""
    change("leak", make_stricter)
    renewal = renew(TANK, document)
    assert renewal.difference.less == ("leak",)
    assert not renewal.difference.more
    assert renewal.replayed == 1
    assert all(v.is_shortest for v in renewal.verdicts)
    assert "rules that allow less: leak: 1 schedules refute still" in str(renewal)


def test_a_condition_less_leaves_the_shortest_open(
    document: dict[str, Any], change: Callable[[str, Any], None]
) -> None:
    """There may be a shorter schedule now, and here there is one; no search has looked."""
    change("fill", make_weaker)
    renewal = renew(TANK, document)
    assert renewal.difference.more == ("fill",)
    verdicts = {(v.guarantee, v.fault): v for v in renewal.verdicts}
    assert not verdicts[LEAKS].is_shortest
    anew = {(v.guarantee, v.fault): v for v in search_structure(TANK)}
    assert len(anew[LEAKS].schedule) < len(
        next(c for c in document["cells"] if c["fault"] == "every fault" and "schedule" in c)[
            "schedule"
        ]
    )


@pytest.mark.parametrize(("function", "is_needless"), [(shut_tap, False), (stir, True)])
def test_a_rule_more_that_is_no_help_keeps_the_shortest(
    document: dict[str, Any],
    add: Callable[[Any], None],
    function: Callable[[Tank], RuleBody],
    *,
    is_needless: bool,
) -> None:
    """By proof where its steps can be left out, and by a search where they cannot."""
    add(function)
    assert list_added(TANK, document) == (function.__name__,)
    assert not all(v.is_shortest for v in renew(TANK, document).verdicts)
    verdicts = search_additions(TANK, document)
    assert all(v.is_shortest for v in verdicts)
    assert verdicts == search_structure(TANK)
    column = TOY.fault_models[-1]
    search = BoundedSearch(TANK, column, ("level_is_in_range",))
    goals = {n: record_violation(TANK, n) for n in TOY.claims}
    expected = tuple(goals) if is_needless else ()
    assert find_needless(search, (function.__name__,), goals) == expected


def test_a_rule_more_that_shortens_a_schedule_is_found(
    document: dict[str, Any], add: Callable[[Any], None]
) -> None:
    """A search for schedules with a step of that rule finds what a search for all finds."""
    add(pour)
    verdicts = search_additions(TANK, document)
    assert verdicts == search_structure(TANK)
    cells = {(v.guarantee, v.fault): v for v in verdicts}
    assert [str(a.rule_name) for a in cells[LEAKS].schedule] == ["pour", "leak"]


def test_another_change_is_no_addition(
    document: dict[str, Any], add: Callable[[Any], None], change: Callable[[str, Any], None]
) -> None:
    """What an old rule allows now may need no step of the new one."""
    add(stir)
    change("fill", make_weaker)
    assert list_added(TANK, document) == ()


def test_what_falls_is_decided_anew(
    document: dict[str, Any], change: Callable[[str, Any], None]
) -> None:
    """A tap that never opens: what was refuted is so no more, and the renewal says which cell."""
    change("turn_tap", lambda tank, named: {**named, "is_never": tank.level < 0})
    renewal = renew(TANK, document)
    ((before, after),) = renewal.changed
    assert (before.guarantee, before.fault) == LEAKS
    assert before.word is VerdictWord.REFUTED
    assert after.word is VerdictWord.UNDECIDED
    assert not after.is_shortest


def test_a_renewed_certificate_is_current(
    document: dict[str, Any], change: Callable[[str, Any], None], tmp_path: Path
) -> None:
    """And keeps what is not known of its schedules."""
    change("fill", make_weaker)
    path = certificates.save(TANK, renew(TANK, document).verdicts, tmp_path)
    renewed = read_document(path)
    assert not certificates.compute_changes(TANK, renewed)
    cells = {(c.guarantee, c.fault): c for c in certificates.decode_cells(TANK, renewed)}
    assert not cells[LEAKS].is_shortest
    certificates.recheck(TANK, TANK.usual_parameters, renewed)


def test_a_lemma_touches_no_cell(document: dict[str, Any]) -> None:
    """It only proves them."""
    document["fingerprint"]["lemmas"]["level_is_in_range"] = "of another text"
    changes = certificates.compute_changes(TANK, document)
    assert changes is not None
    assert changes.lemmas == ("level_is_in_range",)
    assert changes
    assert not changes.touches_cells


def test_a_claim_touches_its_own_cells_only(document: dict[str, Any]) -> None:
    """Of the others the shortest schedules stay known."""
    document["fingerprint"]["claims"]["tank_never_overflows"] = "of another text"
    changes = compute_difference(document["fingerprint"], TANK)
    assert changes.keeps_shortest("tank_never_leaks")
    assert not changes.keeps_shortest("tank_never_overflows")


def test_a_certificate_without_fingerprint_is_no_help(document: dict[str, Any]) -> None:
    """Nobody knows what it was made from."""
    del document["fingerprint"]
    with pytest.raises(InternalDisagreementError, match="does not say what it was made from"):
        renew(TANK, document)

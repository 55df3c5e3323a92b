"""The kill table: the page says what was decided, and what was decided is true of a sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.rule_mutants import list_mutants, make_mistake
from reference.machine import Action, Machine, Outcome, probe
from reference.rules import RULES
from reference.state import Cluster
from reference.trace.checking import check_recording
from tests.reference.trace.impossible_steps import list_impossible
from tests.reference.trace.kill_table import (
    PAGE,
    decide_all,
    find_fired_rules,
    find_impossible_step,
    load_answers,
    read_all,
    update_page,
    watch_steps,
)

SMALL = ("b_sync_no_slave", "d2_fallbehind_exact", "l_wait_store_false")


def test_the_page_is_up_to_date() -> None:
    """Every generated part of the page is what the recordings and the stored answers give."""
    text = PAGE.read_text()
    assert text == update_page(text)


def test_every_mutant_is_answered() -> None:
    """No mutant is left out, and none is stored that does not exist."""
    assert {m.name for m in list_mutants()} == set(load_answers())


def test_the_true_rules_allow_nothing_impossible() -> None:
    """In every state on the way through every recording."""
    found: list[str] = []

    def look(machine: Machine, before: Cluster, action: Action, outcome: Outcome) -> None:
        for name, cluster, why in list_impossible(action, before, outcome.cluster):
            if name in machine.instances and not probe(machine.instances[name], cluster)[0]:
                found.append(f"{name} {why} {action.instance}")

    with watch_steps(look):
        for recording in read_all().values():
            check_recording(recording)
    assert [] == found


@pytest.mark.parametrize("name", SMALL)
def test_killers_kill(name: str) -> None:
    """What the table says of uncorrupted recordings is so."""
    recording = read_all()[name]
    fired = find_fired_rules(recording)
    checked = 0
    for mutant in list_mutants():
        answer = load_answers()[mutant.name]
        if answer is None or Path(answer.split()[0].rstrip(":")).stem != name:
            continue
        if "corrupted" in answer:
            continue
        true_rule = RULES[mutant.rule]
        with make_mistake(mutant):
            is_killed = (
                find_impossible_step(recording, true_rule) is not None
                or not check_recording(recording).is_conforming
            )
        assert is_killed, mutant.name
        checked += 1
    assert fired
    assert checked


@pytest.mark.nightly
def test_the_table_is_decided_anew() -> None:
    """Every mutant, every recording, corrupted copies of each."""
    assert load_answers() == decide_all()

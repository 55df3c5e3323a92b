"""The verbs never advise opposite things: where a store is replaced, ``store`` decides."""

from __future__ import annotations

import re

import pytest

from brokers.disk.findings import FindingKind
from command_line.answers.recordings.broker_logs import say_advice
from command_line.answers.stores.mending import list_replaced
from properties.scenarios.procedures.procedures import STORE_CHECK, Procedure, load_procedures
from properties.scenarios.procedures.signs import Sign, load_pair_signs, load_signs
from properties.scenarios.procedures.store_findings import load_store_findings
from properties.scenarios.summary.actions import load_actions
from properties.scenarios.summary.answer import replaces_store
from tests.command_line.run import run

COPIES = re.compile(r"(?<!not )\b[Cc]opy (the|its) |\bempty its store")
"""Words that replace or empty a store; to save a copy is none."""
SIGNS = (*load_pair_signs(), *load_signs())
DAMAGES = {
    "slave_ahead": {FindingKind.AHEAD, FindingKind.DIVERGED},
    "torn_roll": {FindingKind.DIVERGED},
    "slave_outrun": {FindingKind.OUTRUN},
    "last_file_only": {FindingKind.BEGINS_LATER, FindingKind.GAP},
    "positioned_above_put": {FindingKind.BEGINS_LATER, FindingKind.GAP},
    "wrong_first_file": {FindingKind.FOREIGN},
    "log_shorter": {FindingKind.AHEAD},
    "tail_lost": {FindingKind.AHEAD},
    "files_damaged": {FindingKind.GAP, FindingKind.MASTER_GAP},
    "queue_misses_entry": {FindingKind.DIVERGED},
    "put_without_file": {FindingKind.DIVERGED},
    "slave_append_failed": {FindingKind.GAP},
    "lying_member": {FindingKind.EPOCH_AHEAD},
    "no_epoch_to_send": {FindingKind.EPOCH_LATE},
    "no_consistent_point": {FindingKind.DIVERGED, FindingKind.EPOCH_LATE},
}
"""Signs of logs, and what ``store`` finds of the same damage."""


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_a_sign_that_replaces_a_store_leaves_it_to_the_verb(sign: Sign) -> None:
    """No log knows what a store holds alone; the words and the acts say the same."""
    is_replacing = bool(COPIES.search(sign.advice))
    assert is_replacing is bool(sign.replaced_store)
    assert is_replacing is (STORE_CHECK in say_advice(sign))


@pytest.mark.parametrize("procedure", load_procedures(), ids=lambda each: each.name)
def test_words_of_a_procedure_are_those_of_its_acts(procedure: Procedure) -> None:
    """``check`` tells by them that a store is replaced."""
    words = load_actions().procedures.get(procedure.name)
    if words is not None:
        for text in filter(None, (words.text, words.with_controller)):
            assert replaces_store(text) is bool(procedure.advice.replaced)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_sign_and_a_finding_replace_the_same_store(name: str) -> None:
    """The store that a sign's advice replaces is one that ``store`` may replace for that damage.

    Of a file that is missing a log cannot say who has it: the sign replaces none.
    """
    (sign,) = (each for each in SIGNS if each.name == name)
    findings = load_store_findings()
    allowed = {who for kind in DAMAGES[name] for who in list_replaced(findings[kind].recipe)}
    assert not sign.replaced_store or sign.replaced_store in allowed


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_every_sign_that_replaces_a_store_has_its_damage(sign: Sign) -> None:
    """Or is no damage of a store: what it looks like on disk is open."""
    open_signs = {"frame_refused", "store_emptied", "dispatch_stuck", "dispatch_outrun"}
    assert not sign.replaced_store or sign.name in {*DAMAGES, *open_signs}


def test_check_and_explain_leave_a_copy_to_the_verb() -> None:
    """On the screen that proposes one."""
    assert f"before a copy, ./rmqspec {STORE_CHECK} decides" in run("check").stdout
    told = " ".join(run("explain", "L12").stdout.split())
    assert f"First: ./rmqspec {STORE_CHECK}" in told

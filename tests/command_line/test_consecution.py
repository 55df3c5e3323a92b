"""Consecution as it is printed."""

from __future__ import annotations

import pytest

from command_line.answers.triage import print_consecution
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from properties.z3.induction import get_leaf_names
from properties.z3.obligations import Proof
from reference.language.machine import compute_machine, record_predicate

ALONE = CERTIFIED_BY_NAME["SYNC_MASTER/ASYNC_FLUSH/0 slaves"]


def test_a_line_for_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """Between a head and the sum, every rule says ok."""
    assert 0 == print_consecution(Proof(ALONE, ["life_is_counted"]))
    head, *lines, total = capsys.readouterr().out.splitlines()
    assert f"{ALONE.name}: 1 lemmas, rule by rule" == head
    assert list(compute_machine(ALONE).instances) == [line.split()[0] for line in lines]
    assert all(line.endswith(" ok") for line in lines)
    assert total.endswith(" 0 broken")


def test_a_broken_lemma_shows_its_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Alone this lemma is lost; below the rule stands the step, and every leaf of the lemma."""
    lemma = "pending_is_on_master"
    assert 70 == print_consecution(Proof(ALONE, [lemma]))
    lines = capsys.readouterr().out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("BROKEN"))
    rule = lines[at].split()[0]
    assert lines[at + 1].strip().startswith(f"{lemma} is lost by {rule}(")
    leaves = get_leaf_names(
        record_predicate(ALONE, REPLICATION.get_candidates(ClaimedGroup())[lemma].predicate)
    )
    shown = lines[at + 2 : at + 2 + len(leaves)]
    assert leaves == {line.split()[0] for line in shown}
    assert any(" -> " in line for line in shown)
    assert not lines[-1].endswith(" 0 broken")

"""What prove says of another world than replication."""

from __future__ import annotations

import json

import pytest

from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import compute_machine
from tests.command_line.run import assert_one_line, run

STRUCTURE = "reading/open slow/offset check/last"


def test_its_cells_are_told() -> None:
    """As text and as JSON, with the schedule of a refuted one; nobody disputes them."""
    asked = ("prove", "--structure", STRUCTURE, "--guarantee", "progress_never_moves_back")
    result = run(*asked)
    assert 0 == result.returncode
    assert "progress_never_moves_back, none: proved" in result.stdout
    (answer,) = json.loads(run(*asked, "--json").stdout)["structures"]
    cells = {v["fault"]: v for v in answer["verdicts"]}
    assert "proved" == cells["none"]["verdict"]
    assert not any(v.get("disputed") for v in answer["verdicts"])
    assert cells["master stop"]["steps"] == len(cells["master stop"]["schedule"])


def test_its_fault_sets_are_decided() -> None:
    """Which faults are fatal, and what must be absent for a proof."""
    asked = ("prove", "--fault-sets", "--guarantee", "consumed_messages_stay")
    lines = [x.strip() for x in run(*asked, "--structure", STRUCTURE).stdout.splitlines()]
    assert "refuted by master_power_losses: 6 steps" in lines
    assert "proved without master_power_losses, topic_recreations" in lines


def test_its_lemmas_are_checked_rule_by_rule() -> None:
    """Nothing is broken, by faults either."""
    result = run("prove", "--rules", "--structure", STRUCTURE)
    assert 0 == result.returncode
    rows = {line.split()[0] for line in result.stdout.splitlines() if line.endswith("  ok")}
    assert rows == set(compute_machine(STRUCTURES[STRUCTURE]).instances)
    assert result.stdout.rstrip().endswith("0 broken")


@pytest.mark.xdist_group("kernels")
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["delay/4.4.0", STRUCTURE])
def test_its_certificate_is_cross_checked(name: str) -> None:
    """One line for each guarantee, each confirmed."""
    result = run("prove", "--cross-check", 2_000_000, "--structure", name, "--fault", "none")
    assert 0 == result.returncode
    assert len(STRUCTURES[name].world.guarantees) == result.stdout.count(": confirmed, ")


def test_its_variants_are_refused_in_one_line() -> None:
    """It has none: no traceback, no internal defect."""
    message = assert_one_line(run("prove", "--variant", "epoch_check", "--structure", STRUCTURE), 3)
    assert "is no structure of replication" in message


def test_its_counterexamples_to_induction_are_triaged() -> None:
    """The reachable one with its timeline."""
    asked = ("prove", "--triage", "no_message_is_consumed_twice", "--fault", "consumer kill")
    output = run(*asked, "--structure", STRUCTURE).stdout
    assert "hand_over(): reachable" in output
    assert "step  consumer " in output
    assert "✗ no_message_is_consumed_twice" in output


@pytest.mark.parametrize(
    ("candidate", "structure"),
    [
        ("no_message_is_skipped", "SYNC_MASTER/SYNC_FLUSH/1 slave"),
        ("message_is_stored_once", STRUCTURE),
        ("no_such_property", STRUCTURE),
    ],
)
def test_a_property_of_another_world_is_refused(candidate: str, structure: str) -> None:
    """One line with those that there are."""
    result = run("prove", "--triage", candidate, "--structure", structure)
    assert 3 == result.returncode
    assert f"'{candidate}' is none of" in result.stderr


def test_a_world_without_step_by_step_search_is_not_triaged() -> None:
    """One line that says so, before any work."""
    structure = "system/sync master/async flush/closed/no offset check/first"
    result = run("prove", "--triage", "followed_message_is_one", "--structure", structure)
    assert 3 == result.returncode
    assert "are too large for that; choose a structure of one of its parts" in result.stderr

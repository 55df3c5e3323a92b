"""Fault sets as they are printed."""

from __future__ import annotations

import json

from tests.command_line.run import run

ALONE = "ASYNC_MASTER/ASYNC_FLUSH/0 slaves"
ASKED = ("prove", "--fault-sets", "--guarantee", "acknowledged_is_kept_on_master")


def test_fatal_sets_and_their_steps_are_printed() -> None:
    """Three faults are fatal, each alone; without them it is proved."""
    result = run(*ASKED, "--structure", ALONE)
    assert 0 == result.returncode
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert ALONE in lines
    assert any(line.startswith("refuted by master_power_losses: ") for line in lines)
    assert any(line.startswith("refuted by master_disk_losses: ") for line in lines)
    assert any(line.startswith("refuted by forced_deletions: ") for line in lines)
    assert "proved without forced_deletions, master_disk_losses, master_power_losses" in lines


def test_fault_sets_are_json() -> None:
    """Each fatal set with its schedule."""
    document = json.loads(run(*ASKED, "--structure", ALONE, "--json").stdout)
    (border,) = document["borders"]
    assert [] == border["undecided"]
    for refuted in border["refuted"]:
        assert refuted["steps"] == len(refuted["schedule"])


def test_larger_groups_are_refused_in_one_line() -> None:
    """Of them nobody has searched any."""
    result = run(*ASKED, "--structure", "SYNC_MASTER/ASYNC_FLUSH/3 slaves")
    assert 3 == result.returncode
    assert "up to 1 slave" in result.stderr
    assert "Traceback" not in result.stderr

"""What check says of the whole, from put to consumed."""

from __future__ import annotations

import json

from properties.worlds.system.world import SYSTEM
from tests.command_line.run import run


def test_every_claim_is_told_with_its_circumstances() -> None:
    """Each under what it falls, is open, or holds; what is refuted cannot be required."""
    required = "acknowledged_is_consumed_or_to_come:master power loss"
    result = run("check", "--timelines", "0", "--require", required)
    told = " ".join(result.stdout.split()).partition("From put to consumed, ")[2]
    assert told.startswith(f"{SYSTEM.structures[0].name}: ")
    for name, claim in SYSTEM.claims.items():
        assert f"{claim.sentence} ({name}) Broken under " in told
    assert result.returncode == 1


def test_programs_get_every_cell() -> None:
    """And what is proved can be required."""
    required = "acknowledged_is_consumed_or_to_come:both end"
    result = run("check", "--json", "--require", required)
    (system,) = json.loads(result.stdout)["systems"]
    assert len(system["verdicts"]) == len(SYSTEM.claims) * len(SYSTEM.fault_models)
    assert result.returncode == 0


def test_nothing_is_said_of_what_was_not_decided() -> None:
    """As of another release: there a claim counts as undecided."""
    required = "acknowledged_is_consumed_or_to_come:both end"
    result = run("check", "--rocketmq-version", "4.9.8", "--timelines", "0", "--require", required)
    assert "From put to consumed" not in result.stdout
    assert result.returncode == 2

"""What check says of the whole, from put to consumed."""

from __future__ import annotations

import json

import pytest

from properties.worlds.system.world import SYSTEM
from tests.command_line.run import run

FROM_WHERE = "consumer.consumeFromWhere"


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
    """And what is proved can be required, of groups that begin where it is proved."""
    required = "acknowledged_is_consumed_or_to_come:both end"
    first = ("--what-if", f"{FROM_WHERE}=CONSUME_FROM_FIRST_OFFSET")
    result = run("check", "--json", *first, "--require", required)
    (system,) = json.loads(result.stdout)["systems"]
    assert len(system["verdicts"]) == len(SYSTEM.claims) * len(SYSTEM.fault_models)
    assert result.returncode == 0


def test_nothing_is_said_of_what_was_not_decided() -> None:
    """As with a controller: there a claim counts as undecided."""
    required = "acknowledged_is_consumed_or_to_come:both end"
    of = ("--rocketmq-version", "5.3.2-controller", "--timelines", "0", "--slaves", "1")
    result = run("check", *of, "--require", required)
    assert "From put to consumed" not in result.stdout
    assert result.returncode == 2


@pytest.mark.parametrize("options", [(), ("--what-if", f"{FROM_WHERE}=CONSUME_FROM_LAST_OFFSET")])
def test_a_proof_for_another_beginning_is_not_enough(options: tuple[str, ...]) -> None:
    """A group that begins at the last offset, asked for or assumed: undecided, with the reason."""
    required = "acknowledged_is_consumed_or_to_come:master stop"
    result = run("check", "--json", *options, "--require", required)
    assert result.returncode == 2
    assert "proved for those with CONSUME_FROM_FIRST_OFFSET" in result.stderr
    (system,) = json.loads(result.stdout)["systems"]
    cells = {f"{v['guarantee']}:{v['fault']}": v for v in system["verdicts"]}
    assert cells[required]["verdict"] == "undecided"
    assert "begin at the last offset" in cells[required]["reason"]


def test_readers_are_judged_from_where_their_groups_begin() -> None:
    """Such a group skips a message without any failure; one that begins at the first does not."""
    required = ("--require", "no_message_is_skipped:none")
    assert run("check", "--json", *required).returncode == 1
    first = ("--what-if", f"{FROM_WHERE}=CONSUME_FROM_FIRST_OFFSET")
    assert run("check", "--json", *first, *required).returncode == 0

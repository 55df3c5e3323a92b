"""What check says of consumers."""

from __future__ import annotations

import json
from typing import Any

from properties.consumption.world import CONSUMPTION_FAULT_CLASSES, PROGRESS_GUARANTEES
from tests.command_line.run import CONF, assert_one_line, run


def check(*arguments: object) -> dict[str, Any]:
    """The answer about the reading of the first group."""
    document = json.loads(run("check", *arguments, "--json").stdout)
    reading: dict[str, Any] = document["groups"][0]["reading"]
    return reading


def get_claims(reading: dict[str, Any]) -> dict[str, bool]:
    """Which claims about reading hold."""
    return {claim["claim"]: claim["holds"] for claim in reading["claims"]}


def test_by_default_everybody_reads_the_master() -> None:
    """And a table with a cell for each guarantee and fault class."""
    reading = check(CONF / "2m-2s-sync")
    assert "consumer/no slave read/no offset check" == reading["structure"]
    assert get_claims(reading)["reads_stay_at_the_master"]
    cells = {(v["guarantee"], v["fault"]) for v in reading["verdicts"]}
    assert {(g, c.name) for g in PROGRESS_GUARANTEES for c in CONSUMPTION_FAULT_CLASSES} == cells
    assert all(v["reason"] for v in reading["verdicts"])


def test_an_open_master_alone_lets_consumers_bounce() -> None:
    """SlaveReadEnable on the master, a group pinned to the slave: the slave sends them back."""
    group = "brokerId=1,whichBrokerWhenConsumeSlowly=1"
    reading = check(CONF / "2m-2s-sync", "--what-if", "slaveReadEnable=true", "--group", group)
    assert "consumer/slave read/no offset check" == reading["structure"]
    claims = get_claims(reading)
    assert not claims["reads_stay_at_the_master"]
    assert not claims["readers_of_the_slave_stay"]


def test_people_see_table_and_reasons() -> None:
    """Each refuted guarantee with a reason."""
    output = run("check", CONF / "2m-2s-sync", "--timelines", 0).stdout
    assert "while a consumer reads" in output
    assert "no_message_is_skipped, master power loss: New messages take the places" in output
    assert "Every pull goes to the master. (yes)" in output


def test_without_slaves_nothing_is_said_of_reading() -> None:
    """There is nobody else to read from."""
    assert check(CONF / "2m-noslave") is None


def test_an_unknown_option_of_a_group_is_one_line() -> None:
    """With the options that there are."""
    message = assert_one_line(run("check", "--group", "brokerX=1"), 3)
    assert "whichBrokerWhenConsumeSlowly" in message


def test_guarantees_of_consumers_can_be_required() -> None:
    """Proved, refuted, unknown."""
    pair = CONF / "2m-2s-sync"
    required = ("--timelines", 0, "--require")
    assert 0 == run("check", pair, *required, "no_message_is_skipped:slave outage").returncode
    assert 1 == run("check", pair, *required, "no_message_is_skipped:master stop").returncode
    message = assert_one_line(run("check", pair, *required, "no_message_is_skipped:late join"), 3)
    assert "consumer kill" in message

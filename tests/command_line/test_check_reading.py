"""What check says of consumers."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from command_line.check import command
from properties.worlds.reading.world import READING
from tests.command_line.run import CONF, assert_one_line, run
from tests.structures import leave_most_to_night


def print_check(*arguments: object) -> str:
    """What the verb prints, in this process."""
    result = CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)
    assert result.exception is None
    return result.stdout


def check(*arguments: object) -> dict[str, Any]:
    """The answer about the reading of the first group."""
    document = json.loads(print_check(*arguments, "--json"))
    reading: dict[str, Any]
    (reading,) = document["groups"][0]["readings"]
    return reading


def get_claims(reading: dict[str, Any]) -> dict[str, bool]:
    """Which claims about reading hold."""
    return {claim["claim"]: claim["holds"] for claim in reading["claims"]}


def test_by_default_everybody_reads_the_master() -> None:
    """And a table with a cell for each guarantee and fault model, for groups of either kind."""
    reading = check(CONF / "2m-2s-sync")
    assert "reading/closed/no offset check/last" == reading["structure"]
    assert "reading/closed/no offset check/first" == reading["structure_from_first"]
    assert get_claims(reading)["reads_stay_at_the_master"]
    for verdicts in (reading["verdicts"], reading["verdicts_from_first"]):
        cells = {(v["guarantee"], v["fault"]) for v in verdicts}
        assert {(g, c.name) for g in READING.claims for c in READING.fault_models} == cells
        assert all(v["reason"] for v in verdicts)


def test_where_a_group_begins_is_answered_both_ways() -> None:
    """A new group that begins at the end may skip a message; one that begins at the first not."""
    reading = check(CONF / "2m-2s-sync")
    asked = ("no_message_is_skipped", "none")
    words = [
        next(v["verdict"] for v in reading[name] if (v["guarantee"], v["fault"]) == asked)
        for name in ("verdicts", "verdicts_from_first")
    ]
    assert ["refuted", "proved"] == words


@pytest.mark.nightly
def test_an_open_master_alone_lets_consumers_bounce() -> None:
    """SlaveReadEnable on the master, a group pinned to the slave: the slave sends them back."""
    group = "brokerId=1,whichBrokerWhenConsumeSlowly=1"
    reading = check(CONF / "2m-2s-sync", "--what-if", "slaveReadEnable=true", "--group", group)
    assert "reading/master open all/no offset check/last" == reading["structure"]
    claims = get_claims(reading)
    assert not claims["reads_stay_at_the_master"]
    assert not claims["readers_of_the_slave_stay"]


def test_without_a_structure_there_is_no_table() -> None:
    """Consumers that keep up are sent to the slave, slow ones to the master."""
    change = ("--what-if", "slaveReadEnable=true", "--what-if", "slave.slaveReadEnable=true")
    asked = (CONF / "2m-2s-sync", *change, "--group", "brokerId=1,whichBrokerWhenConsumeSlowly=0")
    reading = check(*asked)
    assert (None, None) == (reading["structure"], reading["structure_from_first"])
    assert [] == reading["verdicts"] == reading["verdicts_from_first"]
    assert "No table holds for slow consumers at the master" in print_check(*asked, "--all")
    lines = print_check(*asked).splitlines()
    assert any(line.startswith("?    Consumed twice or skipped") for line in lines)


def test_people_see_table_and_reasons() -> None:
    """Each refuted guarantee with a reason."""
    output = print_check(CONF / "2m-2s-sync", "--timelines", 0)
    assert "while a consumer reads" in output
    assert "no_message_is_skipped, none: A group that begins at the end has no progress" in output
    first = next(x for x in output.splitlines() if "With CONSUME_FROM_FIRST_OFFSET" in x)
    assert "no_message_is_skipped is proved under none, consumer kill, slave outage" in first
    assert "Every pull goes to the master. (yes)" in output


def test_the_command_that_draws_a_failure_works() -> None:
    """As it is printed, with its quotes."""
    output = print_check(CONF / "2m-2s-sync", "--timelines", 0)
    line = next(x for x in output.splitlines() if "rmqspec explain" in x)
    guarantee, *rest = shlex.split(line.partition("rmqspec explain ")[2])
    drawn = run("explain", guarantee, *rest).stdout
    assert f"\n      ✗ {guarantee}\n" in drawn


def test_without_slaves_nothing_is_said_of_reading() -> None:
    """There is nobody else to read from."""
    document = json.loads(print_check(CONF / "2m-noslave", "--json"))
    assert [[], [], []] == [group["readings"] for group in document["groups"]]


def test_an_unknown_option_of_a_group_is_one_line() -> None:
    """With the options that there are."""
    message = assert_one_line(run("check", "--group", "brokerX=1"), 3)
    assert "whichBrokerWhenConsumeSlowly" in message


def write_groups(folder: Path, **groups: dict[str, Any]) -> Path:
    """A broker's file of subscription groups."""
    file = folder / "subscriptionGroup.json"
    file.write_text(json.dumps({"subscriptionGroupTable": groups}))
    return file


@pytest.mark.nightly
def test_every_group_of_a_broker_s_file_is_answered(tmp_path: Path) -> None:
    """Those that are sent to the same brokers together, whatever else they differ in.

    No table is printed twice.
    """
    pinned = {"brokerId": 1, "whichBrokerWhenConsumeSlowly": 1}
    file = write_groups(
        tmp_path, b={"retryMaxTimes": 3}, p=pinned, a={}, off={"consumeEnable": False}
    )
    asked = (CONF / "2m-2s-sync", "--what-if", "slaveReadEnable=true", "--group-file", file)
    document = json.loads(print_check(*asked, "--json"))
    readings = document["groups"][0]["readings"]
    assert [["a", "b"], ["p"], ["off"]] == [each["subscription_groups"] for each in readings]
    assert [0, 1, 0] == [each["brokers"][0]["near_broker"] for each in readings]
    output = print_check(*asked, "--timelines", 0)
    assert "Consumers of a, b with brokerId=0" in output
    assert 1 == output.count("every pull is refused")
    assert 2 == output.count("while a consumer reads")
    assert 1 == output.count("the table above holds")


def test_one_group_of_the_file(tmp_path: Path) -> None:
    """By its name; another name is refused with those that there are."""
    file = write_groups(tmp_path, a={}, p={"brokerId": 1})
    one = check(CONF / "2m-2s-sync", "--group-file", file, "--group", "p")
    assert (["p"], 1) == (one["subscription_groups"], one["broker_id"])
    message = assert_one_line(run("check", "--group-file", file, "--group", "q"), 3)
    assert "a, p" in message
    assert_one_line(run("check", "--group-file", __file__), 3)


def get_brokers(*arguments: object) -> list[dict[str, Any]]:
    """What each broker of the first group makes of consumers."""
    brokers: list[dict[str, Any]] = check(CONF / "2m-2s-sync", *arguments)["brokers"]
    return brokers


@pytest.mark.parametrize(
    ("master", "slave"), leave_most_to_night([(False, True), (True, False), (True, True)], 1)
)
def test_slaves_may_be_asked_about(master: bool, slave: bool) -> None:
    """The setting of the slave alone, of the master alone, of both."""
    changes = ["--what-if", "slaveReadEnable=true"] * master
    changes += ["--what-if", "slave.slaveReadEnable=true"] * slave
    brokers = get_brokers(*changes)
    assert [master, slave] == [each["is_open"] for each in brokers]
    assert [int(master), int(slave)] == [each["slow_broker"] for each in brokers]
    assert [0, 0] == [each["near_broker"] for each in brokers]


def test_a_slave_that_checks_offsets_moves_them() -> None:
    """Like a master; by default it leaves them."""
    assert [True, False] == [each["is_offset_moved"] for each in get_brokers()]
    checked = get_brokers("--what-if", "slave.offsetCheckInSlave=true")
    assert [True, True] == [each["is_offset_moved"] for each in checked]


def test_the_memory_is_told_or_assumed() -> None:
    """Which of them is said below the table; unusual ratios are explained there."""
    asked = (CONF / "2m-2s-sync", "--timelines", 0)
    change = ("--what-if", "slave.accessMessageInMemoryMaxRatio=150")
    output = print_check(*asked, *change)
    assert "25,769,803,776 bytes (assumed; --total-memory-bytes tells it)" in output
    assert "150 %: no consumer is slow" in output
    output = print_check(*asked, *change, "--total-memory-bytes", 1000)
    assert "memory of 1,000 bytes (as told)" in output
    assert "400 bytes (40 %)" in output
    assert "1,500 bytes (150 %)" in output


def test_guarantees_of_consumers_can_be_required() -> None:
    """Proved, refuted, nowhere judged, unknown."""
    pair = CONF / "2m-2s-sync"
    required = ("--timelines", 0, "--require")
    name = "known_group_skips_no_message"
    assert 0 == run("check", pair, *required, f"{name}:slave outage").returncode
    assert 1 == run("check", pair, *required, f"{name}:master stop").returncode
    alone = CONF / "2m-noslave"
    assert 2 == run("check", alone, *required, "no_message_is_skipped:none").returncode
    message = assert_one_line(run("check", pair, *required, "no_message_is_skipped:late join"), 3)
    assert "consumer kill" in message

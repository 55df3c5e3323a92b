"""``rmqspec pull``: one question, a table of them, and what is wrong with a row."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from command_line.output import exit_codes
from command_line.pull import EPILOG, FLAGS, command
from reference.decisions.reading.question import NUMBERS, OTHERS, PROPERTIES, QuestionError
from tests.command_line.run import ROOT, assert_one_line, run


def pull(*arguments: str, rows: str = "") -> Result:
    """The command with these arguments and this standard input."""
    return CliRunner().invoke(command, [*arguments], input=rows, standalone_mode=False)


def ask(*arguments: str) -> dict[str, Any]:
    """The answer for programs to one question."""
    result = pull(*arguments, "--json")
    assert result.exception is None
    answer: dict[str, Any] = json.loads(result.output)
    return answer


def test_one_pull() -> None:
    """Every decision stands beside the condition that decided it."""
    result = pull("--role", "SLAVE", "--offset", "20", "--max-offset", "10")
    assert result.exception is None
    lines = [line.split() for line in result.output.splitlines()]
    assert ["Model", "of", "RocketMQ", "4.4.0."] == lines[0]
    assert ["status", "OFFSET_OVERFLOW_BADLY", "is_offset_beyond_end"] in lines
    assert ["code", "20", "PULL_RETRY_IMMEDIATELY", "is_slave_leaving_offset"] in lines
    assert ["overwritten", "code", "PULL_OFFSET_MOVED", "is_offset_impossible"] in lines
    assert ["next", "offset", "20"] in lines


def test_holds_and_commits_are_shown() -> None:
    """What else a pull brings about."""
    flags = ("--offset", "9", "--max-offset", "9", "--suspend", "--commit-offset", "4")
    text = pull(*flags).output
    assert "15000 to 20000 ms before that answer" in text
    assert "progress stored      4" in text
    answer = ask(*flags)
    assert (answer["heldMs"], answer["heldMostMs"], answer["committedOffset"]) == (
        15_000,
        20_000,
        4,
    )


def test_what_is_cached_is_dropped_when_a_slave_moves_the_pull() -> None:
    """Finding F201: four cached messages from 5 on, and the next progress lies behind them."""
    flags = ("--role", "SLAVE", "--set", "offsetCheckInSlave=true", "--min-offset", "1")
    answer = ask(*flags, "--offset", "9", "--max-offset", "8", "--cached-msgs", "4")
    assert "PULL_OFFSET_MOVED" == answer["response"]
    assert answer["isQueueGivenUp"]
    assert 8 == answer["nextCommitOffset"]


def test_unknown_topics_and_groups_are_refused() -> None:
    """Code 17 as by a slave before its next copy; code 26 where groups are not made on demand."""
    assert "TOPIC_NOT_EXIST" == ask("--unknown-topic", "--max-offset", "9")["response"]
    flags = ("--unknown-group", "--max-offset", "9")
    assert "SUCCESS" == ask(*flags)["response"]
    alone = ask(*flags, "--set", "autoCreateSubscriptionGroup=false")
    assert "SUBSCRIPTION_GROUP_NOT_EXIST" == alone["response"]
    assert alone["status"] is None


def test_progress_follows_over_what_a_filter_refuses() -> None:
    """Only where nothing is cached (R-CC-08)."""
    flags = ("--offset", "2", "--max-offset", "6", "--filtered-msgs", "4")
    assert "NO_MATCHED_MESSAGE" == ask(*flags)["status"]
    assert 6 == ask(*flags)["nextCommitOffset"]
    assert 1 == ask(*flags, "--cached-msgs", "1")["nextCommitOffset"]


def test_no_more_is_cached_than_lies_before_the_offset() -> None:
    """One line."""
    assert "only 3 lie before" in assert_one_line(
        run("pull", "--offset", "3", "--max-offset", "9", "--cached-msgs", "7"), 3
    )


@pytest.mark.parametrize(
    ("behind", "next_pull"), [(10_000_000_000, 0), (11_000_000_000, 1)], ids=["in memory", "behind"]
)
def test_a_redirect(behind: int, next_pull: int) -> None:
    """A master with slaveReadEnable sends slow consumers to broker 1."""
    flags = ("--max-offset", "100", "--behind-bytes", str(behind), "--set", "slaveReadEnable=true")
    answer = ask(*flags)
    assert answer["suggestWhichBrokerId"] == answer["nextPullFrom"] == next_pull
    assert ask(*flags, "--brokers", "0")["nextPullFrom"] == 0


def test_groups(tmp_path: Path) -> None:
    """By options, or by name from a broker's file."""
    file = tmp_path / "subscriptionGroup.json"
    file.write_text(json.dumps({"subscriptionGroupTable": {"slow": {"brokerId": 2}}}))
    common = ("--max-offset", "9", "--set", "slaveReadEnable=true", "--brokers", "0,1,2")
    named = ask(*common, "--group-file", str(file), "--group", "slow")
    assert named["nextPullFrom"] == ask(*common, "--group", "brokerId=2")["nextPullFrom"] == 2
    unnamed = pull(*common, "--group-file", str(file)).exception
    assert isinstance(unnamed, QuestionError)
    assert "has the groups slow; name one" in str(unnamed)


def test_a_refused_pull() -> None:
    """Nothing is read; the client tries the same broker again after three seconds."""
    answer = ask("--max-offset", "9", "--group", "consumeEnable=false")
    assert (answer["status"], answer["responseCode"], answer["pauseMs"]) == (None, 16, 3_000)
    assert answer["codeDecidedBy"] == "is_consumption_disabled"
    text = pull("--max-offset", "9", "--queue", "4").output
    assert "is_queue_unknown" in text
    assert "status" not in text


def test_a_refusal_does_not_change_whom_the_client_asks() -> None:
    """Only an answer that can be read does: a slave that has refused is asked again."""
    answer = ask("--role", "SLAVE", "--max-offset", "9", "--group", "consumeEnable=false")
    assert (answer["nextPullFrom"], answer["pauseMs"], answer["pauseMostMs"]) == (1, 3_000, 3_000)
    lagging = ask("--role", "SLAVE", "--offset", "20", "--max-offset", "9")
    assert (lagging["nextPullFrom"], lagging["pauseMs"]) == (0, 0)


def test_a_queue_that_is_given_up() -> None:
    """It is pulled again after its correction, at the next rebalance, with corrected progress."""
    flags = ("--offset", "20", "--min-offset", "4", "--max-offset", "10", "--client-offset", "15")
    answer = ask(*flags)
    assert answer["isQueueGivenUp"]
    assert (answer["pauseMs"], answer["pauseMostMs"]) == (10_000, 30_000)
    assert answer["nextCommitOffset"] == answer["nextBeginOffset"] == 10
    text = pull(*flags).output
    assert "given up, with what is cached" in text
    assert "broker 0 after 10000 to 30000 ms" in text
    row = pull("-", rows='{"offset": 20, "maxOffset": 10}').output
    assert "next pull from 0 after 10000 to 30000 ms by is_wanted_there; the queue is given" in row


ROWS = '{"offset": 0, "maxOffset": 9}\n\n{"offset": 10, "maxOffset": 9, "role": "SLAVE"}\n'


@pytest.mark.parametrize("how", ["--table", "-"])
def test_a_table(how: str) -> None:
    """A line for each row; flags hold for rows that do not say otherwise."""
    result = pull(how, "--role", "SYNC_MASTER", rows=ROWS)
    first, second = result.output.splitlines()
    assert first.startswith("FOUND, next 9; 0 SUCCESS by is_message_found; suggests 0")
    assert "OFFSET_OVERFLOW_BADLY, next 10; 20 PULL_RETRY_IMMEDIATELY" in second
    answers = [json.loads(line) for line in pull(how, "--json", rows=ROWS).output.splitlines()]
    assert [answer["nextBeginOffset"] for answer in answers] == [9, 10]


BAD_ROWS = {
    "{": "not JSON",
    "[]": "not a JSON object",
    '{"ofset": 1}': "ofset is not a key; offset is one",
    '{"offset": "1"}': "offset is '1', not a whole number",
    '{"offset": true}': "offset is True",
    '{"offset": 1e400}': "offset is inf",
    '{"maxMsgs": -1}': "maxMsgs is -1",
    '{"role": ["SLAVE"]}': "role is ['SLAVE']",
    '{"slaveReadEnable": "perhaps"}': "slaveReadEnable is 'perhaps'",
    '{"slaveReadEnable": []}': "slaveReadEnable is '[]'",
    '{"minOffset": 2, "maxOffset": 1}': "minOffset is 2, more than maxOffset 1",
    '{"maxOffset": 9, "behindBytes": 1}': "the messages ahead take 9216",
    '{"group": "brokerId=x"}': "group: brokerId is 'x'",
    '{"group": 7}': "group is 7",
    '{"group": {"brokerID": 7}}': "group: a group has no option 'brokerID'",
    '{"brokers": []}': "brokers is []",
    '{"brokers": [true]}': "brokers is [True]",
    '{"suspend": 1}': "suspend is 1, not true or false",
    "\udcff": "not JSON in UTF-8",
}
"""Rows that nobody can answer, and what is said about them."""


@pytest.mark.parametrize("row", BAD_ROWS, ids=[str(n) for n in range(len(BAD_ROWS))])
def test_a_bad_row_is_told_by_its_line(row: str) -> None:
    """Blank lines count."""
    rows = b'{"maxOffset": 1}\n\n' + row.encode("utf-8", "surrogateescape")
    result = CliRunner().invoke(command, ["--table"], input=rows, standalone_mode=False)
    assert isinstance(result.exception, QuestionError)
    assert str(result.exception).startswith("standard input:3: ")
    assert BAD_ROWS[row] in str(result.exception)
    assert result.output == ""


def test_bad_input_is_one_line_and_exit_code_3(tmp_path: Path) -> None:
    """As with every verb."""
    words = [sys.executable, "-m", "command_line", "pull", "--table"]
    result = subprocess.run(
        words, input='{"offset": 1}\n{', capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert "standard input:2: not JSON" in assert_one_line(result, 3)
    for flags in (
        ["--offset", "x"],
        ["--set", "slaveReadEnable"],
        ["--brokers", "a"],
        ["--role", "MASTER"],
        ["--group-file", tmp_path / "none.json"],
        ["--group-file", __file__],
    ):
        assert_one_line(run("pull", *flags), 3)


def test_help_names_every_key() -> None:
    """Examples, exit codes, and an option for each number."""
    result = pull("--help")
    assert set(FLAGS) == set(NUMBERS)
    for line in EPILOG.splitlines():
        assert line.strip("\b ") in result.output
    assert "--behind-bytes" in result.output


def test_every_property_has_a_say() -> None:
    """None is accepted and then not looked at: each changes the answer to some row."""
    base = {"maxOffset": 40, "messageBytes": 5000, "offset": 10}
    far = {**base, "behindBytes": 10**12, "messageBytes": 9000}
    end = {"maxOffset": 9, "offset": 9, "suspend": True}
    beyond = {"role": "SLAVE", "maxOffset": 9, "offset": 99}
    changes = {
        "accessMessageInMemoryMaxRatio": (base, 0),
        "offsetCheckInSlave": (beyond, True),
        "maxTransferCountOnMessageInMemory": (base, 3),
        "maxTransferBytesOnMessageInMemory": (base, 9000),
        "maxTransferCountOnMessageInDisk": (far, 3),
        "maxTransferBytesOnMessageInDisk": (far, 9000),
        "mapedFileSizeConsumeQueue": (base, 400),
        "slaveReadEnable": (far, True),
        "longPollingEnable": (end, False),
        "shortPollingTimeMills": ({**end, "longPollingEnable": False}, 7),
        "brokerPermission": (base, 2),
        "autoCreateSubscriptionGroup": ({**base, "groupKnown": False}, False),
    }
    check_changes(changes)
    assert set(changes) == PROPERTIES


def test_every_number_has_a_say() -> None:
    """The same for what is no property."""
    base = {"maxOffset": 40, "offset": 10, "slaveReadEnable": True}
    far = {**base, "behindBytes": 10**9}
    changes = {
        "offset": (base, 50),
        "minOffset": (base, 20),
        "maxOffset": (base, 10),
        "maxMsgs": (base, 5),
        "messageBytes": (base, 10**6),
        "behindBytes": (base, 10**12),
        "totalMemoryBytes": (far, 10**9),
        "queue": (base, 4),
        "readQueueNums": (base, 0),
        "commitOffset": (base, 3),
        "clientOffset": (base, 3),
        "cachedMsgs": (base, 4),
        "filteredMsgs": (base, 4),
        "topicKnown": (base, False),
        "groupKnown": ({**base, "autoCreateSubscriptionGroup": False}, False),
        "role": ({**base, "offset": 50}, "SLAVE"),
        "group": (base, "brokerId=1"),
        "brokers": (base, [1]),
        "suspend": ({"maxOffset": 9, "offset": 9}, True),
        "rocketmq": ({**base, "offset": 50}, "4.9.8"),
    }
    check_changes(changes)
    assert set(changes) == {*NUMBERS, *OTHERS}


def check_changes(changes: dict[str, tuple[dict[str, Any], Any]]) -> None:
    """Each change of a row changes its answer."""
    for name, (row, value) in changes.items():
        rows = "\n".join(json.dumps(each) for each in (row, {**row, name: value}))
        first, second = pull("--table", "--json", rows=rows).output.splitlines()
        assert first != second, name


def test_a_later_release_resets_a_reader_to_the_end() -> None:
    """From 4.9.4 on, even if the queue begins at 0 (V-18); 5.x has other rules."""
    asked = ("--offset", "20", "--max-offset", "10", "--rocketmq-version")
    answers = [pull(*asked, release, "--json").output for release in ("4.9.3", "4.9.4")]
    assert [0, 10] == [json.loads(answer)["nextBeginOffset"] for answer in answers]
    assert "Model of RocketMQ 4.9.4." in pull(*asked, "4.9.4").output
    refused = run("pull", *asked, "5.0.0")
    assert exit_codes.BAD_INPUT == refused.returncode
    assert "pulls are known up to 4.9.8" in refused.stderr
    assert exit_codes.BAD_INPUT == run("pull", *asked, "4.9").returncode

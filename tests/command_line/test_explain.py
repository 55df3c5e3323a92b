"""``rmqspec explain`` tells the class of a refuted cell and draws its schedule."""

import json

import pytest
from click.testing import CliRunner

from command_line.explain import command
from command_line.main import group
from command_line.output.width import DRAWING_WIDTH
from properties.checkout import ROOT
from properties.scenarios.predictions import get_cell, load_predictions
from properties.schedules.telling import draw_cell
from properties.verdicts.expectations import find_expectation
from properties.worlds.catalogue import STRUCTURES
from tests.command_line.run import CONF


def run(*arguments: str) -> str:
    """What the command prints."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert 0 == result.exit_code
    return result.output


def test_predicted_cell_is_drawn() -> None:
    """The page's command draws the timeline that the page shows."""
    prediction = load_predictions()[0]
    output = run(prediction.claim, prediction.fault, "--structure", prediction.structure_name)
    assert "predicted" in output
    assert draw_cell(prediction.structure, get_cell(prediction), DRAWING_WIDTH) in output


def test_documented_cell_names_its_evidence() -> None:
    """Thread and recording are told."""
    output = run("slaves_reach_the_masters_end", "slave outrun by retention")
    assert "#3388" in output
    assert "p_slave_behind_master_min seq 103" in output


def test_cell_of_a_consumer_tells_the_expected_reason() -> None:
    """With the timeline of the certified schedule."""
    name = "reading/open slow/no offset check/last"
    output = run("no_message_is_skipped", "master stop", "--structure", name)
    assert (
        find_expectation("no_message_is_skipped", STRUCTURES[name], "master stop").reason in output
    )
    assert "\n      ✗ no_message_is_skipped\n" in output
    assert "not refuted" in run("consumed_messages_stay", "none", "--structure", name)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (("no_message_is_skipped", "none"), "is not claimed of"),
        (("acknowledged_is_held_twice", "master stop"), "has no fault model"),
    ],
)
def test_cells_of_another_world_are_refused(asked: tuple[str, str], word: str) -> None:
    """A claim or a column that the structure does not have."""
    result = CliRunner().invoke(command, asked)
    assert 2 == result.exit_code
    assert word in result.output


def test_proved_cell_has_nothing_to_explain() -> None:
    """It says so, and that is no error."""
    assert "not refuted" in run("acknowledged_is_kept_on_master", "none")


def test_the_page_that_tells_it_is_named() -> None:
    """It exists, and stands below the schedule."""
    output = run("acknowledgement_is_truthful", "late join")
    (line,) = (line for line in output.splitlines() if line.startswith("More about this guarantee"))
    page = line.rpartition(" ")[2]
    assert page.endswith("counterexamples/acknowledgement_is_truthful.md")
    assert (ROOT / page).exists()
    assert output.index("✗") < output.index(line)


def test_a_claim_is_explained_in_groups() -> None:
    """In the structures of the group that have the claim, with its settings and release."""
    pair = str(CONF / "2m-2s-sync")
    output = run("acknowledgement_is_truthful", "late join", pair)
    assert "SYNC_MASTER/ASYNC_FLUSH/1 slave, late join." in output
    changed = ("--what-if", "flushDiskType=SYNC_FLUSH", "--rocketmq-version", "4.9.8")
    output = run("acknowledgement_is_truthful", "late join", pair, *changed)
    assert "SYNC_MASTER/SYNC_FLUSH/1 slave at 4.9.3, late join." in output
    output = run("no_message_is_skipped", "master stop", pair)
    assert "reading/closed/no offset check/last, master stop." in output
    output = run("acknowledgement_is_truthful", "none", "--slaves", "2")
    assert "DefaultCluster/broker-a" in output


def test_a_claim_in_another_release() -> None:
    """By the release, or by the structure's own name; not by both."""
    output = run("acknowledgement_is_truthful", "none", "--rocketmq-version", "5.0.0")
    assert "Model of RocketMQ 5.0.0" in output
    name = "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"
    words = ("acknowledgement_is_truthful", "none", "--structure", name)
    result = CliRunner().invoke(command, [*words, "--rocketmq-version", "5.0.0"])
    assert "cannot have the rules of 5.0.0" in result.output


def test_a_code_in_small_letters_is_the_code() -> None:
    """And a file in its place says what comes first."""
    assert run("s41") == run("S41")
    swapped = str(CONF / "2m-2s-sync")
    result = CliRunner().invoke(command, [swapped, "L14"])
    assert 2 == result.exit_code
    told = " ".join(result.output.replace("│", " ").split())
    assert "is a file or folder; the code comes first, as in `explain L12" in told


@pytest.mark.parametrize(
    "words", [("L12", "--structure", "delay/4.4.0"), ("message_is_stored_once",)]
)
def test_words_that_do_not_go_together(words: tuple[str, ...]) -> None:
    """A code has its structure from the group; a claim needs a fault."""
    assert 2 == CliRunner().invoke(command, words).exit_code


def test_afterwards_is_tried_in_the_model() -> None:
    """Of a code and of a claim: what helps, what does not, and what is impossible."""
    for words in (("S41",), ("equal_offsets_mean_equal_bytes", "none"), ("S8",)):
        told = run(*words).partition("Afterwards, tried in the model")[2]
        lines = told.partition("Procedure")[0].splitlines()
        assert ["no", "no", "no", "helps", "n/a"] == [
            line.split()[0] for line in lines if line.startswith("  ") and line[2:3].strip()
        ]
        assert any(
            "helps    Copy the stopped master's store to the slave" in line for line in lines
        )


def test_a_code_of_the_whole_system_has_the_procedures_of_its_parts() -> None:
    """Those of the log and of the readers for the same fault model."""
    output = run("N12")
    assert "by brokers alone" in output
    assert "loses    Copy the stopped master's store to the slave" in output
    assert "The master comes back after a power loss" in output
    assert "Consumers repeat, loop, or begin again" in output
    assert "Not: Restart the group." in output
    claim = ("acknowledged_is_consumed_or_to_come", "master power loss")
    of_claim = run(
        *claim, "--structure", "system/sync master/async flush/closed/no offset check/first"
    )
    assert "Consumers repeat, loop, or begin again" in of_claim


SYNC_FLUSH = ("--what-if", "flushDiskType=SYNC_FLUSH")


def test_no_recovery_is_praised_that_a_procedure_calls_a_mistake() -> None:
    """A recovery is judged by the guarantee of the code, and by those of the procedures."""
    output = " ".join(run("N12", *SYNC_FLUSH).split())
    assert "Not: Leave both as they are." in output
    assert "no Leave it: start what is down" in output
    assert "Copy the stopped master's store to the slave, and set the group's progress" in output
    assert "what they pull while brokers recover, and what they find" in output


def test_a_recovery_helps_only_if_it_does_so_later_too() -> None:
    """At the end of the shortest schedule a restart of the master cuts off the blank."""
    output = " ".join(run("S1", *SYNC_FLUSH).split())
    assert "not sure Restart the master: helps at this very end; if another message" in output
    assert "impossible, no slave's log is longer than the master's" in output


@pytest.mark.parametrize(("code", "told"), [("D46", "ends D46"), ("D28", "eases D28")])
def test_the_advice_of_check_comes_before_the_recoveries(code: str, told: str) -> None:
    """What is done before the failure, from the same function."""
    output = " ".join(run(code).split())
    before = output.partition("Before it happens:")[2].partition("Afterwards")[0]
    assert "CONSUME_FROM_FIRST_OFFSET" in before
    assert told in before
    assert "helps Stop the group, set its progress back" in output


def test_the_procedure_that_check_lists_for_a_code_is_told() -> None:
    """Even if it keeps another claim of the row than the one that is drawn."""
    assert "Procedure “Consumers repeat, loop, or begin again”" in run("D12")


def test_the_claim_that_is_drawn_comes_first() -> None:
    """The weakest failure, with its reason."""
    lines = run("L14", *SYNC_FLUSH).splitlines()
    assert lines[2].startswith("  acknowledged_is_kept_on_master breaks after 13 steps")
    assert "How acknowledged_is_kept_on_master breaks:" in lines


@pytest.mark.parametrize("words", [("P32", *SYNC_FLUSH), ("D28",), ("N12",)])
def test_output_in_a_pipe_has_a_limit(words: tuple[str, ...]) -> None:
    """And a drawing says how to read it."""
    output = run(*words)
    assert max(map(len, output.splitlines())) <= DRAWING_WIDTH
    assert "A queue is shown as [first..end)" in output


def test_cited_statements_say_where_they_are() -> None:
    """Once, below the reasons."""
    output = run("S41")
    assert "T1-00967: a statement about RocketMQ, with sources in spec/ledger/." in output


def test_a_procedure_shows_the_failure_that_it_begins_with() -> None:
    """A slave outrun by retention that has copied something."""
    output = run("S2")
    drawn = output.partition("Procedure “A slave asks for what the master")[2]
    assert "expires an uncopied file" in drawn
    assert "<~ appends 1 B, reports" in drawn
    assert "Not: Restart the slave." in drawn


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("S0", "Without a failure this row breaks here as S41"),
        ("D0", "D46 ("),
        ("B0", "B42 ("),
        ("C0", "that brings C41"),
        ("L0", "Without a failure nothing of this row breaks here."),
        ("N2", "It is not decided here (acknowledged_is_consumed_or_to_come): consumer groups"),
        ("S21", "no claim of this row is judged under a slave that deletes a file early"),
        ("D2", "Fewer faults break message_is_stored_once: see code D43."),
    ],
)
def test_a_code_that_is_no_failure_here(code: str, told: str) -> None:
    """Why it is none, and which codes stand for what breaks."""
    assert told in " ".join(run(code).split())


def test_what_a_change_brings_is_shown_by_a_command() -> None:
    """The command that is printed draws the failure."""
    command = run("C41").splitlines()[-1].split()
    assert ["explain", "C41", "--what-if", "flushDiskType=SYNC_FLUSH"] == command[1:]
    assert "✗ " in run(*command[2:])
    pair = str(CONF / "2m-2s-sync" / "broker-a.properties")
    output = run("S12", pair, "--slaves", "0")
    assert f"explain S12 {pair} --slaves 1" in output


def test_consumers_may_begin_at_the_first_message() -> None:
    """A setting of theirs, not of a broker."""
    change = ("--what-if", "consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET")
    assert "✗ no_message_is_skipped" in run("D46")
    assert "breaks nothing of this row" in run("D46", *change)
    for wrong in ("consumer.pullBatchSize=1", "consumer.consumeFromWhere=NOW"):
        result = CliRunner().invoke(command, ["D46", "--what-if", wrong])
        assert 2 == result.exit_code


def test_pages_about_another_failure_say_so() -> None:
    """The page draws another consumer group."""
    output = run("D46")
    page = "spec/counterexamples/no_message_is_skipped.md"
    assert f"{page} (the same guarantee, broken as D44)" in output


def test_pages_and_codes_name_each_other() -> None:
    """A code its pages, a claim its code, a page the command."""
    assert "spec/counterexamples/slaves_reach_the_masters_end.md" in run("S2")
    cell = ("slaves_reach_the_masters_end", "slave outrun by retention")
    assert "On the screen of `check` it is S2: ./rmqspec explain S2" in run(*cell)
    page = (ROOT / "spec/counterexamples/slaves_reach_the_masters_end.md").read_text()
    assert "./rmqspec explain S2\n" in page


def test_every_code_that_check_lists_has_a_story() -> None:
    """Also one whose claim breaks by less already: its own schedule is another way."""
    document = json.loads(CliRunner().invoke(group, ["check", "--format", "json"]).stdout)
    (answer,) = document["summaries"][0]["answers"]
    codes = [failure["code"] for row in answer["rows"] for failure in row["others"]]
    assert {"S6", "B1"} <= set(codes)
    for code in codes:
        output = run(code)
        assert "What it takes" in output, code
        assert "How " in output, code


def test_a_recovery_after_which_brokers_never_rest_says_so() -> None:
    """4.9.8 refuses a slave that is ahead: that is no impossible recovery, but a failed one."""
    output = " ".join(run("L12", "--rocketmq-version", "4.9.8").split())
    assert "no Restart the slave: brokers do not come to rest, but connect again" in output
    assert "helps Copy the stopped slave's store to the master" in output


def test_a_promotion_is_explained_with_what_the_slave_does_not_know() -> None:
    """Progress, delayed messages, topics and groups: whatever the schedule is."""
    options = ("--what-if", "consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET")
    output = " ".join(run("P32", str(CONF / "2m-2s-async"), *options).split())
    assert "loses Promote the slave, keep the old master away" in output
    assert "Whenever a slave is promoted" in output
    for told in ("delayOffset.json", "repeats of up to a minute", "topics and subscription groups"):
        assert told in output
    proved = "Start it, stop it, copy its store to the slave: as good as new."
    assert proved in output
    others = run("D28")
    assert "Whenever a slave is promoted" not in others
    assert proved not in " ".join(others.split())


def test_what_is_proved_of_courses_depends_on_what_had_happened() -> None:
    """A promoted slave of a SYNC_MASTER has what was answered, if no machine lost power."""
    stock = str(CONF / "2m-2s-sync")
    plain = " ".join(run("P32", stock).split())
    assert "Promote the slave: keeps what was answered." in plain
    harsh = " ".join(run("promotion_repeats_no_message", "power loss of both", stock).split())
    assert "Promote the slave: keeps what was answered." not in harsh
    assert "If the slave is sound: promote it, then copy back: as good as new." in harsh

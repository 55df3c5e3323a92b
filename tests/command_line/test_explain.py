"""``rmqspec explain`` tells the class of a refuted cell and draws its schedule."""

import pytest
from click.testing import CliRunner

from command_line.explain import command
from properties.generated_text import ROOT
from properties.scenarios.predictions import get_cell, load_predictions
from properties.schedules.telling import draw_cell
from properties.verdicts.expectations import find_expectation
from properties.worlds import STRUCTURES
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
    assert draw_cell(prediction.structure, get_cell(prediction)) in output


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
    page = output.rstrip().rpartition(" ")[2]
    assert page.endswith("counterexamples/acknowledgement_is_truthful.md")
    assert (ROOT / page).exists()


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


@pytest.mark.parametrize(
    "words", [("L12", "--structure", "delay/4.4.0"), ("message_is_stored_once",)]
)
def test_words_that_do_not_go_together(words: tuple[str, ...]) -> None:
    """A code has its structure from the group; a claim needs a fault."""
    assert 2 == CliRunner().invoke(command, words).exit_code

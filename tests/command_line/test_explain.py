"""``rmqspec explain`` tells the class of a refuted cell and draws its schedule."""

import pytest
from click.testing import CliRunner

from command_line.explain import command
from properties.generated_text import ROOT
from properties.scenarios.predictions import get_cell, load_predictions
from properties.schedules.telling import draw_cell
from properties.verdicts.expectations import find_expectation
from properties.worlds import STRUCTURES


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
        (("acknowledged_is_held_twice", "master stop"), "has no column"),
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

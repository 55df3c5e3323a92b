"""``rmqspec explain`` tells the class of a refuted cell and draws its schedule."""

from click.testing import CliRunner

from command_line.explain import command
from properties.prediction import load_predictions
from properties.prediction_page import draw_cell, get_cell


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
    assert output.rstrip().endswith(draw_cell(prediction.structure, get_cell(prediction)))


def test_documented_cell_names_its_evidence() -> None:
    """Thread and recording are told."""
    output = run("slaves_reach_the_masters_end", "slave outrun by retention")
    assert "#3388" in output
    assert "p_slave_behind_master_min seq 103" in output


def test_proved_cell_has_nothing_to_explain() -> None:
    """It says so, and that is no error."""
    assert "not refuted" in run("acknowledged_is_kept_on_master", "none")

"""The repairs of controller mode: each stops some known issue, together they stop all."""

from __future__ import annotations

import pytest

from book.model.variants.controller_repair_page import get_repaired, list_issues
from properties.comparison.upgrades import CONTROLLER_REPAIRS
from properties.scenarios.known_issues.repair import Fate, try_in
from tests.command_line.run import assert_one_line, run


def list_stopped(repairs: tuple[str, ...]) -> set[str]:
    """The known issues whose schedule no longer shows them."""
    structure = get_repaired(repairs)
    fates = {issue.name: try_in(issue, structure).fate for issue in list_issues()}
    return {name for name, fate in fates.items() if fate is not Fate.SHOWN}


@pytest.mark.parametrize("name", CONTROLLER_REPAIRS)
def test_a_repair_stops_something_and_not_everything(name: str) -> None:
    """What the data of the known issues say."""
    told = {issue.name for issue in list_issues() if name in issue.repaired_by}
    assert told == list_stopped((name,))
    assert set() < told < {issue.name for issue in list_issues()}


def test_together_they_stop_every_known_issue() -> None:
    """None overrides what another one does, in whichever order they are named."""
    for repairs in (CONTROLLER_REPAIRS, CONTROLLER_REPAIRS[::-1]):
        assert list_stopped(repairs) == {issue.name for issue in list_issues()}


def test_a_repair_needs_its_release() -> None:
    """Without a controller it has nothing to repair."""
    message = assert_one_line(run("prove", "--variant", CONTROLLER_REPAIRS[0]), 3)
    assert "add --rocketmq-version 5.0.0-controller" in message

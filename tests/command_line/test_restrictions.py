"""Restrictions as they are printed, and what ``check`` says that a proved cell rests on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from properties.verdicts.verdict import VerdictWord
from tests.command_line.run import CONF, run

DELAY = "delay/4.4.0"


def test_load_bearing_restrictions_are_printed() -> None:
    """Those with most cells first; they are judged again, and found as they are stored."""
    result = run("prove", "--restrictions", "--structure", DELAY)
    assert 0 == result.returncode
    head, *rows = [line.strip() for line in result.stdout.splitlines()[2:]]
    assert head.startswith(f"{DELAY}: {len(rows)} of ")
    counts = [int(row.split(": ")[2].partition(" ")[0]) for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert any(row.startswith("deliver_message: has_message: ") for row in rows)


def test_restrictions_are_json() -> None:
    """What falls when a restriction is moved by one falls without it, too."""
    document = json.loads(run("prove", "--restrictions", "--structure", DELAY, "--json").stdout)
    (answer,) = document["structures"]
    assert answer["structure"] == DELAY
    assert 0 < len(answer["load_bearing"]) < answer["restrictions"]
    for entry in answer["load_bearing"]:
        for claim, columns in entry["cells_by_one"].items():
            assert set(columns) <= set(entry["cells"][claim])


def test_larger_groups_are_refused_in_one_line() -> None:
    """Of them no restriction is judged."""
    result = run("prove", "--restrictions", "--structure", "SYNC_MASTER/ASYNC_FLUSH/3 slaves")
    assert 3 == result.returncode
    assert "up to 1 slave" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture(scope="module", name="groups")
def read_groups() -> Any:
    """The groups of a stock configuration, for programs."""
    return json.loads(run("check", CONF / "2m-2s-sync", "--json").stdout)


def test_check_says_what_a_proved_cell_rests_on(groups: Any) -> None:
    """True answers rest on the time of a first report; a refuted cell rests on nothing."""
    cells = {(v["guarantee"], v["fault"]): v for v in groups["groups"][0]["verdicts"]}
    rests = cells["acknowledgement_is_truthful", "none"]["rests_on_reading"]
    assert "report_offset: is_earlier_put_over" in rests
    for cell in cells.values():
        is_proved = cell["verdict"] == VerdictWord.PROVED.value
        assert (cell["rests_on_reading"] is not None) is is_proved


def test_pairs_say_it_too(groups: Any) -> None:
    """Cells of other worlds have the field, and some of them a list that is not empty."""
    cells = [v for pair in groups["pairs"] for v in pair["verdicts"]]
    assert all("rests_on_reading" in v for v in cells)
    assert any(v["rests_on_reading"] for v in cells)


def test_one_line_below_the_table_counts_such_cells(groups: Any) -> None:
    """It says how many proved cells of the group rest on reading."""
    verdicts = groups["groups"][0]["verdicts"]
    count = sum(bool(v["rests_on_reading"]) for v in verdicts)
    printed = run("check", CONF / "2m-2s-sync", "--all").stdout
    assert f"  {count} proofs rest on reading; " in printed
    assert "  1 proof rests on reading; " in printed


@pytest.mark.nightly
def test_of_other_releases_nothing_is_known() -> None:
    """No list, rather than an empty one, which would say that all is seen."""
    later = ("check", CONF / "2m-2s-sync", "--rocketmq-version", "4.9.8", "--json")
    answer = json.loads(run(*later).stdout)
    cells = answer["groups"][0]["verdicts"]
    assert {"proved", "refuted"} <= {v["verdict"] for v in cells}
    assert {None} == {v["rests_on_reading"] and "some" for v in cells}

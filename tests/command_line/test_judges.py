"""``rmqspec judges``, run as a user runs it."""

from __future__ import annotations

import json

from spark_fuzz.judges.five_judges import JUDGES
from tests.command_line.run import assert_one_line, run

ASKED = ("judges", "--structure", "delay/4.4.0", "--fault", "kill")


def test_judges_prints_every_guarantee_and_judge() -> None:
    """A table with whole names; no contradiction."""
    result = run(*ASKED)
    assert 0 == result.returncode, result.stderr
    assert "no_message_is_delivered_twice" in result.stdout
    assert "holds" in result.stdout
    assert "disagreement" not in result.stderr


def test_judges_tells_programs() -> None:
    """One object per cell, with an opinion of each judge."""
    result = run(*ASKED, "--json")
    cells = [json.loads(line) for line in result.stdout.splitlines()]
    assert {"kill"} == {cell["fault"] for cell in cells}
    assert all(list(JUDGES) == [o["judge"] for o in cell["opinions"]] for cell in cells)


def test_judges_refuses_a_column_of_another_world() -> None:
    """One line that names it."""
    result = run("judges", "--structure", "delay/4.4.0", "--fault", "link cut")
    assert "no fault model 'link cut'" in assert_one_line(result, 3)

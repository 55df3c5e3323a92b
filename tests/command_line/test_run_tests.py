"""``rmqspec test``: what it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from command_line import run_tests
from tests.command_line.run import run


@pytest.fixture(name="ran")
def _note_what_is_run(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands, none of which is run."""
    ran: list[list[str]] = []

    def note(words: Sequence[str]) -> int:
        assert [sys.executable, "-m"] == list(words[:2])
        ran.append(list(words[2:]))
        return 0

    monkeypatch.setattr(run_tests, "run", note)
    monkeypatch.setattr(run_tests, "TYPES", ["this"])
    return ran


@pytest.mark.parametrize(
    ("options", "turn"), [((), ["--dear-turn", "auto"]), (("--every-turn",), [])]
)
def test_dear_tests_are_left_to_their_turn(
    options: tuple[str, ...], turn: list[str], ran: list[list[str]]
) -> None:
    """Unless every turn is asked for; lint and types are checked either way."""
    result = run("test", *options)
    assert 0 == result.returncode
    assert [words for _, words in run_tests.CHECKS] == ran[:-1]
    assert ["pytest", *run_tests.PARALLEL, *turn] == ran[-1]
    assert "types: this" in result.stdout


def test_arguments_go_to_pytest(ran: list[list[str]]) -> None:
    """All tests that they name are run."""
    assert 0 == run("test", "-k", "timeline", "-x").returncode
    assert [["pytest", "-k", "timeline", "-x"]] == ran

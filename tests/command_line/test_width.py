"""What is too wide for a terminal is laid out anew: no line is broken in a cell, none is cut."""

from __future__ import annotations

import pytest

from tests.command_line.run import CONF, run
from tests.structures import leave_most_to_night

PAIR = CONF / "2m-2s-sync"
WIDTHS = (80, 100, 120)
COMMANDS = (
    ("check", PAIR, "--all"),
    ("explain", "S41"),
    ("explain", "N12"),
    ("explain", "D28", PAIR),
    ("explain", "L12", "--slaves", "2"),
    ("explain", "acknowledgement_is_truthful", "late join"),
    ("issues",),
    ("issues", "6767", PAIR),
    ("upgrade", "4.4.0", "5.3.3"),
)


def show(words: tuple[object, ...], columns: int | None) -> str:
    """What is printed in so many columns; None: in a pipe."""
    env = {} if columns is None else {"COLUMNS": str(columns)}
    return run(*words, env=env).stdout


@pytest.mark.parametrize("width", leave_most_to_night(WIDTHS, 1))
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(map(str, words[:2])))
def test_no_line_is_too_long(words: tuple[object, ...], width: int) -> None:
    """Except for a word that is longer by itself, as a path may be."""
    for line in show(words, width).splitlines():
        assert len(line) <= width or len(line.split()) == 1, line


@pytest.mark.parametrize(
    "width", [80, *(pytest.param(each, marks=pytest.mark.nightly) for each in WIDTHS[1:])]
)
def test_nothing_is_left_out(width: int) -> None:
    """Every word of the pipe's answer, whatever lies beside it."""
    for words in COMMANDS[:3]:
        missing = list_words(show(words, None)) - list_words(show(words, width))
        assert not {each for each in missing if "─" not in each}


def list_words(text: str) -> set[str]:
    """The words of an answer, without the lines between them and the stops after them."""
    return {word.rstrip(".;,") for word in text.replace("│", " ").split()}


def test_a_pipe_has_whole_lines() -> None:
    """One line for each step, one for each reason, no colour, nothing cut."""
    told = show(("explain", "S41"), None)
    assert "\x1b" not in told
    assert any(line.count("│") == 2 and "starts again" in line for line in told.splitlines())
    listed = show(("issues",), None)
    assert "…" not in listed
    assert "h_slave_ahead_misaligned" in listed

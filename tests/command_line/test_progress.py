"""Progress: nothing is silent, standard output stays clean; time is a number that tests set."""

from __future__ import annotations

import io
import sys
from typing import TextIO

import pytest

from command_line.output import progress as module
from command_line.output.progress import (
    PREFIX,
    SILENT_SECONDS,
    HeardStream,
    ProgressLine,
    StageProgress,
    format_seconds,
    pause_progress,
    show_progress,
    watch,
)
from command_line.run_tests import relay
from tests.command_line.run import run


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        """It is one."""
        return True


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Now."""
        return self.seconds


@pytest.fixture(name="clock")
def make_clock() -> Clock:
    """It stands still by itself."""
    return Clock()


def make_line(stream: TextIO, clock: Clock, *, is_quiet: bool = False) -> ProgressLine:
    """The line of a verb that has just begun."""
    return ProgressLine(stream, "rmqspec check", clock, is_quiet=is_quiet)


def test_a_long_stage_is_repeated_in_a_pipe(clock: Clock) -> None:
    """Whoever reads it is never left alone for two seconds, nor flooded."""
    stream = io.StringIO()
    line = make_line(stream, clock)
    line("proving")
    for _ in range(80):
        clock.seconds += 0.25
        line.beat()
    lines = stream.getvalue().splitlines()
    assert f"{PREFIX}proving (1 s)" == lines[0]
    assert f"{PREFIX}proving (20 s)" == lines[-1]
    assert int(20 / SILENT_SECONDS) == len(lines)


def test_a_verb_that_names_no_stage_is_not_silent(clock: Clock) -> None:
    """Its own name stands for it: while its modules are imported."""
    stream = io.StringIO()
    line = make_line(stream, clock)
    clock.seconds += 3
    line.beat()
    assert f"{PREFIX}rmqspec check (3 s)\n" == stream.getvalue()


def test_many_stages_write_few_lines_in_a_pipe(clock: Clock) -> None:
    """A line is due after silence only."""
    stream = io.StringIO()
    line = make_line(stream, clock)
    for number in range(100):
        line(f"stage {number}")
        clock.seconds += 0.1
    assert 7 == len(stream.getvalue().splitlines())


def test_a_quiet_verb_says_nothing(clock: Clock) -> None:
    """On a terminal and in a pipe."""
    for stream in (io.StringIO(), Terminal()):
        line = make_line(stream, clock, is_quiet=True)
        line("proving")
        clock.seconds += 9
        line.beat()
        line.clear()
        assert "" == stream.getvalue()


def test_a_terminal_has_one_line(clock: Clock) -> None:
    """It is overwritten, with blanks where the new text is shorter, and removed at the end."""
    stream = Terminal()
    line = make_line(stream, clock)
    line("a long stage")
    clock.seconds += 1
    line("short")
    clock.seconds += 1
    line.beat()
    line.clear()
    first, second = "a long stage (0 s)", "short (1 s)"
    written = [first, second.ljust(len(first)), "short (2 s)", " " * 11, ""]
    assert "\r" + "\r".join(written) == stream.getvalue()


def test_a_long_text_does_not_break_the_line(clock: Clock) -> None:
    """A terminal that does not say how wide it is has 80 columns."""
    stream = Terminal()
    make_line(stream, clock)("x" * 200)
    assert "\r" + "x" * 79 == stream.getvalue()


def test_the_time_left_is_told(clock: Clock) -> None:
    """By the pace so far; it passes while a stage is silent."""
    stream = io.StringIO()
    line = make_line(stream, clock)
    line.advance(0, 10, "traces")
    clock.seconds += 4
    line.advance(2, 10, "traces")
    assert f"{PREFIX}traces (4 s, about 16 s left)\n" == stream.getvalue()
    clock.seconds += 6
    line.beat()
    assert stream.getvalue().endswith("traces (10 s, about 10 s left)\n")
    line("something else")
    clock.seconds += 2
    line.beat()
    assert stream.getvalue().endswith("something else (12 s)\n")


def test_nothing_is_estimated_from_nothing() -> None:
    """Before anything is done there is no pace; a late stage has no time below zero."""
    assert StageProgress(0.0, 3, 5.0, 3, 9).estimate_left(6.0) is None
    assert 0.0 == StageProgress(0.0, 0, 5.0, 1, 2).estimate_left(60.0)


def test_seconds_are_told_shortly() -> None:
    """With the unit that fits."""
    assert ["3 s", "2 min", "2.5 h"] == list(map(format_seconds, (3.2, 100, 9000)))


def test_what_is_written_removes_the_line(clock: Clock) -> None:
    """And counts as said; inside an unfinished line nothing is drawn."""
    stream, out = Terminal(), io.StringIO()
    line = make_line(stream, clock)
    line("proving")
    HeardStream(out, line).write("proved")
    assert stream.getvalue().endswith("\r" + " " * len("proving (0 s)") + "\r")
    before = stream.getvalue()
    clock.seconds += 9
    line.beat()
    assert before == stream.getvalue()
    HeardStream(out, line).write(" all\n")
    clock.seconds += 9
    line.beat()
    assert stream.getvalue().endswith("\rproving (18 s)")
    assert "proved all\n" == out.getvalue()


def test_a_stream_that_is_full_is_no_failure(clock: Clock) -> None:
    """What cannot be written is given up."""

    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    line = make_line(Full(), clock)
    clock.seconds += 9
    line.beat()


def test_a_verb_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread beats; stages end with their block; the streams are given back."""
    monkeypatch.setattr(module, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.001)
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with watch("rmqspec docs") as line:
        with show_progress() as shown:
            shown("building")
            while "building" not in err.getvalue():
                pass
        assert "rmqspec docs" == line.text
        with pause_progress():
            assert line.is_quiet
        assert not line.is_quiet
        print("built")
    assert (out, err) == (sys.stdout, sys.stderr)
    assert "built\n" == out.getvalue()


def test_a_command_by_itself_has_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """Stages are taken, and nothing is said."""
    with show_progress() as line:
        line("proving")
        line.advance(1, 2, "proving")
    assert ("", "") == capsys.readouterr()


def test_every_verb_can_be_silenced(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --quiet, wherever it stands; without it, standard output is the same."""
    monkeypatch.setattr(module, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(module, "BEAT_SECONDS", 0.001)
    answers = [run("issues", "6767", *words) for words in ((), ("--quiet",))]
    assert answers[0].stdout == answers[1].stdout
    assert "" == answers[1].stderr


def test_the_output_of_another_program_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    """As it comes, whatever bytes it has; with its exit code."""
    script = "import sys; sys.stdout.buffer.write(b'one\\n\\xff\\xc3\\xbc'); sys.exit(3)"
    assert 3 == relay([sys.executable, "-c", script])
    assert "one\n\ufffdü" == capfd.readouterr().out

"""``rmqspec renew``: what is typed, what is told, exit codes."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from command_line import renew
from command_line.output.progress import ProgressLine
from command_line.renewal import register
from command_line.renewal.artefact import Need, NotRenewedError, Say
from command_line.renewal.walk import Word
from tests.command_line.renewal.toys import Toys, make_diamond
from tests.command_line.run import assert_one_line, run


@pytest.fixture(name="toys")
def _register_toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toys:
    """A diamond is all that there is."""
    toys = make_diamond(tmp_path)
    monkeypatch.setattr(register, "list_artefacts", lambda *, is_accepting: toys.artefacts)
    monkeypatch.setattr(renew, "LOCK", tmp_path / "renew.lock")
    return toys


def test_everything_is_made_and_told(toys: Toys) -> None:
    """A line each, then the numbers; a second time there is nothing to do."""
    result = run("renew", "--jobs", 1)
    assert 0 == result.returncode, result.stderr
    lines = result.stdout.splitlines()
    assert [
        "a: it is 1 (0 s)",
        "c: it is 2 (0 s)",
        "b: it is 2 (0 s)",
        "d: it is 5 (0 s)",
    ] == lines[:-1]
    assert "4 artefacts: 4 renewed" == lines[-1]
    assert "4 artefacts: 4 current\n" == run("renew").stdout
    assert 4 == len(toys.log)


@pytest.mark.parametrize(("option", "code"), [("--plan", 0), ("--check", 1)])
def test_what_is_stale_is_told(toys: Toys, option: str, code: int) -> None:
    """Nothing is made; only a check fails."""
    run("renew")
    (toys.folder / "d").write_text("7")
    result = run("renew", option)
    assert code == result.returncode
    time = "to make all takes one core about 1 min"
    assert f"stale: d (about 1 s)\n4 artefacts: 3 current, 1 stale; {time}\n" == result.stdout
    assert 4 == len(toys.log)
    run("renew")
    assert 0 == run("renew", option).returncode


def test_only_what_is_asked_for_is_made(toys: Toys) -> None:
    """And what that needs."""
    assert "2 artefacts: 2 renewed" in run("renew", "--for", "answers").stdout
    assert {"a", "c"} == set(toys.log)
    assert 0 == run("renew", "b").returncode
    assert {"a", "b", "c"} == set(toys.log)


def test_measurements_are_looked_at_only_when_asked_for(toys: Toys) -> None:
    """A clone has none, and is not stale for that."""
    toys.artefacts[:] = [
        evolve(each, need=Need.MEASUREMENT) if each.name == "d" else each for each in toys.artefacts
    ]
    run("renew")
    assert ["a", "b", "c"] == sorted(toys.log)
    assert 0 == run("renew", "--check").returncode
    assert 1 == run("renew", "--check", "--for", "measurements").returncode
    assert 1 == run("renew", "--check", "d").returncode


def test_an_unknown_name_is_one_line(toys: Toys) -> None:
    """With what is near, or with what lists all."""
    toys.add("cores of a pair")
    line = assert_one_line(run("renew", "Pair"), 3)
    assert "'Pair' is no artefact; did you mean 'cores of a pair'?" in line
    assert "see renew --plan" in assert_one_line(run("renew", "none"), 3)


def test_what_could_not_be_renewed_is_told_at_the_end(toys: Toys) -> None:
    """With what to do, and what waits for it."""

    def fail(_say: Say) -> str:
        raise NotRenewedError("edit the expectations")

    toys.add("wrong", "a", make=fail)
    toys.add("after", "wrong")
    result = run("renew")
    assert 1 == result.returncode
    told = result.stdout.partition("\nNot renewed:\n")[2].splitlines()
    assert ["  wrong: edit the expectations", "  after: for wrong"] == told[:2]
    assert "6 artefacts: 4 renewed, 1 not renewed, 1 waiting" == told[2]


def test_an_interruption_tells_what_was_made(toys: Toys, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any moment: here it is asked while the last one is being made."""
    told: list[Callable[[], str]] = []
    monkeypatch.setattr(renew, "say_when_interrupted", told.append)

    def fail(_say: Say) -> str:
        raise NotRenewedError("edit the expectations")

    toys.add("wrong", "a", make=fail)
    advance = ProgressLine.advance

    def note(line: ProgressLine, done: int, of: int, text: str) -> None:
        seen.append(told[0]())
        advance(line, done, of, text)

    seen: list[str] = []
    monkeypatch.setattr(ProgressLine, "advance", note)
    run("renew")
    assert "interrupted; 0 artefacts were renewed; the same command continues" == seen[0]
    last = "interrupted; 4 artefacts were renewed, wrong could not be renewed; the same command"
    assert f"{last} continues" == told[0]()


def test_it_speaks_json(toys: Toys) -> None:
    """Every artefact, current ones too."""
    run("renew", "a")
    answers = json.loads(run("renew", "--plan", "--json").stdout)
    words = {answer["name"]: answer["word"] for answer in answers}
    assert {"a": "current", "b": "stale", "c": "stale", "d": "stale"} == words
    assert {"answers", "pages"} == {answer["need"] for answer in answers}
    assert set(words.values()) <= {word.value for word in Word}
    assert {"a"} == set(toys.log)


def test_a_second_renewal_leaves(toys: Toys) -> None:
    """Two would write the same files."""
    with (toys.folder / "renew.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        line = assert_one_line(run("renew"), 3)
        assert "another renew is at work in this checkout" in line
        assert 0 == run("renew", "--plan").returncode
    assert [] == toys.log
    assert 0 == run("renew").returncode


def test_choices_exclude_each_other(toys: Toys) -> None:
    """A plan accepts nothing."""
    assert_one_line(run("renew", "--plan", "--accept"), 3)
    assert_one_line(run("renew", "--plan", "--check"), 3)
    assert [] == toys.log

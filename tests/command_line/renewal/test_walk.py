"""The walk over stale artefacts, with toys: files that hold the sum of what they are made from."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from command_line.renewal.walk import (
    PATIENCE_SECONDS,
    Word,
    look_at_all,
    renew_all,
    select,
    sort_by_needs,
)
from tests.command_line.renewal.toys import Toys, as_words, make_diamond


@pytest.fixture(name="toys")
def _make_toys(tmp_path: Path) -> Toys:
    """A diamond."""
    return make_diamond(tmp_path)


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_each_is_made_after_what_it_needs(toys: Toys, jobs: int) -> None:
    """Once, however many are made at the same time."""
    words = toys.renew(jobs)
    assert {
        name: (Word.RENEWED, f"it is {n}") for name, n in zip("abcd", (1, 2, 2, 5), strict=True)
    } == words
    assert ("a", "d") == (toys.log[0], toys.log[-1])
    assert 4 == len(toys.log)


def test_what_is_current_is_left_alone(toys: Toys) -> None:
    """A second walk makes nothing."""
    toys.renew()
    assert {(Word.CURRENT, "")} == set(toys.renew().values())
    assert 4 == len(toys.log)


def test_only_what_changed_is_made_again(toys: Toys) -> None:
    """One that is damaged is made again; what needs it is as it was, and so stays."""
    toys.renew()
    (toys.folder / "b").write_text("none of this is a number")
    words = toys.renew()
    assert {"b"} == {name for name, (word, _) in words.items() if word is Word.RENEWED}
    assert 5 == len(toys.log)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_read_is_read_again_once_it_is_made(toys: Toys, jobs: int) -> None:
    """A process that read a file before it was made does not make what needs it."""
    toys.renew()
    for name in "abc":
        (toys.folder / name).write_text("9")
    words = toys.renew(jobs)
    assert {"a", "b", "c"} == {name for name, (word, _) in words.items() if word is Word.RENEWED}
    assert ["1", "2", "2", "5"] == [(toys.folder / name).read_text() for name in "abcd"]


def test_a_process_goes_on_with_the_next(toys: Toys) -> None:
    """What it has read and computed serves again; a process for each would do that anew."""
    mark = toys.folder / "processes"

    def note_process() -> bool:
        with mark.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return True

    many = [Artefact(f"{n}", Need.PAGE, note_process, fail) for n in range(20)]
    outcomes = list(look_at_all(many, lambda *_: None, 2))
    assert [Word.CURRENT] * 20 == [outcome.word for outcome in outcomes]
    seen = mark.read_text().split()
    assert 20 == len(seen)
    assert 2 == len({*seen} - {str(os.getpid())})


def test_a_look_that_is_killed_is_no_proof(toys: Toys) -> None:
    """What was looked at then is looked at again, and made."""
    mark = toys.folder / "killed"

    def die_once() -> bool:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    lone = [Artefact("lone", Need.PAGE, die_once, lambda _: "made")]
    assert {"lone": (Word.RENEWED, "made")} == as_words(renew_all(lone, lambda *_: None, 1))


def test_a_plan_makes_nothing(toys: Toys) -> None:
    """It tells of each whether it is stale; a missing input makes it so."""
    toys.renew()
    (toys.folder / "a").unlink()
    planned = as_words(look_at_all(toys.artefacts, lambda *_: None, 2))
    assert {"a": Word.STALE, "b": Word.STALE, "c": Word.STALE, "d": Word.CURRENT} == {
        name: word for name, (word, _) in planned.items()
    }
    assert not (toys.folder / "a").exists()


def test_a_page_is_looked_at_once_what_it_needs_is_current(toys: Toys) -> None:
    """It is made again and compared: on stale needs that would take long and tell nothing."""
    toys.renew()
    looked = toys.folder / "looked"

    def look() -> bool:
        looked.touch()
        return True

    page = Artefact("page", Need.PAGE, look, fail, ("d",), has_digest=False)
    every = [*toys.artefacts, page]
    (toys.folder / "d").unlink()
    planned = as_words(look_at_all(every, lambda *_: None, 2))
    assert (Word.STALE, Word.WAITING) == (planned["d"][0], planned["page"][0])
    assert not looked.exists()
    renewed = as_words(renew_all(every, lambda *_: None, 2))
    assert (Word.RENEWED, Word.CURRENT) == (renewed["d"][0], renewed["page"][0])
    assert looked.exists()


def test_what_answers_need_is_made_first(toys: Toys) -> None:
    """A page waits, although a process has just read about the same."""
    toys.artefacts[:] = [
        evolve(each, need=Need.PAGE if each.name == "b" else Need.ANSWER, needs=each.needs)
        for each in toys.artefacts
        if each.name != "d"
    ]
    toys.renew(1)
    assert ["a", "c", "b"] == toys.log


def test_what_takes_longest_is_told_while_nothing_ends() -> None:
    """Not what has ended last."""
    told: list[str] = []

    def work_long(say: Say) -> str:
        say("half way")
        time.sleep(3 * PATIENCE_SECONDS)
        return "made"

    lone = [Artefact("lone", Need.PAGE, lambda: False, work_long)]
    list(renew_all(lone, lambda _done, _all, text: told.append(text), 1))
    assert told.count("0 of 1, lone: half way") >= 2


def fail(_say: Say) -> str:
    """What to do is said."""
    raise NotRenewedError("type this")


def crash(_say: Say) -> str:
    """An error of the program itself."""
    raise RuntimeError("two\nlines")


def die(_say: Say) -> str:
    """As when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@pytest.mark.parametrize(
    ("make", "text"),
    [(fail, "type this"), (crash, "RuntimeError: two lines"), (die, "its process was killed")],
)
def test_a_failure_costs_only_what_needs_it(
    toys: Toys, make: Callable[[Say], str], text: str
) -> None:
    """The others are made, and the failure is told with what waits for it."""
    toys.add("wrong", "a", make=make)
    toys.add("after", "wrong")
    toys.add("later", "after", "d")
    words = toys.renew()
    assert {"a", "b", "c", "d"} == set(toys.log)
    assert Word.NOT_RENEWED is words["wrong"][0]
    assert text in words["wrong"][1]
    assert (Word.WAITING, "for wrong") == words["after"]
    assert (Word.WAITING, "for after") == words["later"]


def test_an_interrupted_walk_leaves_no_process_and_is_continued(toys: Toys) -> None:
    """What was made stays, what was under way is ended and made by the next walk."""
    mark = toys.folder / "mark"

    def wait_long(_say: Say) -> str:
        mark.write_text(str(os.getpid()))
        time.sleep(600)
        return ""

    toys.add("slow", "a", make=wait_long)
    walk = renew_all(toys.artefacts, lambda *_: None, 2)
    for _ in walk:
        if mark.exists() and len(toys.log) == 4:
            break
    walk.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    assert 4 == len(toys.log)
    toys.artefacts.pop()
    toys.add("slow", "a")
    assert Word.RENEWED is toys.renew()["slow"][0]
    assert 5 == len(toys.log)


def test_progress_is_told(toys: Toys) -> None:
    """How much is done, of how much, and what a process says: looking at all, then making."""
    told: list[tuple[int, int, str]] = []
    toys.artefacts[-1] = evolve(toys.artefacts[-1], seconds=7.0)
    list(renew_all(toys.artefacts, lambda *each: told.append(each), 1))
    looked = [f"{number} of 4, {name}: stale" for number, name in enumerate("cabd", start=1)]
    assert list(zip(range(1, 5), [4] * 4, looked, strict=True)) == told[:4]
    assert [
        (0, 10, "0 of 4, a: adding up"),
        (7, 10, "1 of 4, a: renewed"),
        (7, 10, "1 of 4, c: adding up"),
    ] == told[4:7]
    assert (10, 10, "4 of 4, d: renewed") == told[-1]


def test_names_select_what_they_need(toys: Toys) -> None:
    """In the order of the needs."""
    toys.add("alone")
    assert ["a", "b"] == [each.name for each in select(toys.artefacts, ["b"])]
    with pytest.raises(KeyError):
        select(toys.artefacts, ["none"])


def test_a_circle_is_a_defect() -> None:
    """It would never end."""
    circle = [
        Artefact(name, Need.PAGE, lambda: True, lambda _: "", (other,))
        for name, other in (("a", "b"), ("b", "a"))
    ]
    with pytest.raises(ValueError, match="need each other: a, b"):
        sort_by_needs(circle)

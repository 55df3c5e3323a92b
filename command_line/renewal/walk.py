"""The walk over stale artefacts: each in a process of its own, after those that it needs.

Whatever goes wrong with one artefact costs only those that need it. All of them are told at the
end. An artefact is written whole or not at all, and knows what it was computed from: so an
interrupted walk is continued by the same command.
"""

from __future__ import annotations

import enum
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from attrs import define, evolve, field, frozen

from command_line.renewal.artefact import Artefact, NotRenewedError, Say

PATIENCE_SECONDS = 0.3
"""How often what processes tell is passed on, at least."""


class Word(enum.Enum):
    """What became of an artefact."""

    CURRENT = "current"
    """Its inputs are those from which it was computed."""
    STALE = "stale"
    """They are others, or it is missing or damaged."""
    RENEWED = "renewed"
    NOT_RENEWED = "not renewed"
    WAITING = "waiting"
    """An artefact that it needs is not current."""


FAILED = (Word.NOT_RENEWED, Word.WAITING)


@frozen
class Outcome:
    """What became of one artefact."""

    artefact: Artefact
    word: Word
    text: str = ""
    """What came out, or why nothing did."""
    seconds: float = 0.0


Work = Callable[[Artefact, Say], tuple[Word, str]]
"""What a process does with an artefact, and what it tells of it."""

OnProgress = Callable[[int, int, str], None]
"""Takes how many are done, of how many, and what is being done."""


def sort_by_needs(artefacts: Iterable[Artefact]) -> list[Artefact]:
    """Each after those that it needs, else as they are. Raises ValueError for a circle."""
    open_ones = {each.name: each for each in artefacts}
    ordered: list[Artefact] = []
    while open_ones:
        ready = [a for a in open_ones.values() if open_ones.keys().isdisjoint(a.needs)]
        if not ready:
            raise ValueError(f"these need each other: {', '.join(open_ones)}")
        ordered += ready
        for each in ready:
            del open_ones[each.name]
    return ordered


def select(artefacts: Sequence[Artefact], names: Iterable[str]) -> list[Artefact]:
    """The named artefacts and all that they need, in order. Raises KeyError for an unknown name."""
    known = {each.name: each for each in artefacts}
    chosen: dict[str, Artefact] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name not in chosen:
            chosen[name] = known[name]
            left += known[name].needs
    return sort_by_needs(each for each in artefacts if each.name in chosen)


def look_at_all(
    artefacts: Sequence[Artefact], on_progress: OnProgress, jobs: int
) -> Iterator[Outcome]:
    """Whether each artefact is current or stale, as it is known. Nothing is made."""
    alone = {each.name: evolve(each, needs=()) for each in artefacts}
    yield from run_all(Walk(alone, look, jobs, on_progress))


def renew_all(
    artefacts: Sequence[Artefact], on_progress: OnProgress, jobs: int
) -> Iterator[Outcome]:
    """What becomes of each artefact, as it is known; ``jobs`` of them at the same time."""
    ordered = {each.name: each for each in sort_by_needs(artefacts)}
    yield from run_all(Walk(ordered, renew, jobs, on_progress))


def run_all(walk: Walk) -> Iterator[Outcome]:
    """Run a walk; its processes end with it."""
    try:
        yield from walk.run()
    finally:
        for process, *_ in walk.running.values():
            process.terminate()


def look(artefact: Artefact, _say: Say) -> tuple[Word, str]:
    """Whether an artefact is current; one of which that cannot be found out is not."""
    try:
        return (Word.CURRENT if artefact.is_current() else Word.STALE), ""
    except Exception as problem:  # Whatever a damaged artefact raises, it is stale.
        return Word.STALE, tell(problem)


def renew(artefact: Artefact, say: Say) -> tuple[Word, str]:
    """Make an artefact if it is not current."""
    if look(artefact, say)[0] is Word.CURRENT:
        return Word.CURRENT, ""
    try:
        return Word.RENEWED, artefact.make(say)
    except NotRenewedError as problem:
        return Word.NOT_RENEWED, str(problem)
    except Exception as problem:  # Whatever a maker raises, the others go on.
        return Word.NOT_RENEWED, tell(problem)


def tell(problem: Exception) -> str:
    """An error in one line."""
    return " ".join(f"{type(problem).__name__}: {problem}".split())


@define
class Walk:
    """A walk under way."""

    left: dict[str, Artefact]
    """Those of which nothing is known yet, in order."""
    do: Work
    jobs: int
    on_progress: OnProgress
    words: dict[str, Word] = field(factory=dict)
    running: dict[Connection, tuple[Any, Artefact, float]] = field(factory=dict)
    """Processes, with the artefacts that they make and when they began."""

    def run(self) -> Iterator[Outcome]:
        """Begin what can begin, wait for what ends."""
        total = len(self.left)
        while self.left or self.running:
            for outcome in [*self.begin_ready(), *self.collect_ended(total)]:
                self.words[outcome.artefact.name] = outcome.word
                yield outcome

    def begin_ready(self) -> Iterator[Outcome]:
        """Begin those that need nothing any more; tell of those that need what has failed."""
        for name, each in list(self.left.items()):
            if not all(map(self.is_settled, each.needs)):
                continue
            failed = [needed for needed in each.needs if self.words.get(needed) in FAILED]
            if failed:
                del self.left[name]
                yield Outcome(each, Word.WAITING, f"for {failed[0]}")
            elif len(self.running) < self.jobs:
                del self.left[name]
                self.begin(each)

    def is_settled(self, name: str) -> bool:
        """Nothing more will become of an artefact in this walk."""
        under_way = {artefact.name for _, artefact, _ in self.running.values()}
        return name not in self.left and name not in under_way

    def begin(self, artefact: Artefact) -> None:
        """Make one in a process that knows what this one knows."""
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(self.do, artefact, theirs))
        process.start()
        theirs.close()
        self.running[ours] = process, artefact, time.monotonic()

    def collect_ended(self, total: int) -> Iterator[Outcome]:
        """Wait a moment; pass on what is told, and tell of what has ended."""
        for ready in wait(list(self.running), PATIENCE_SECONDS):
            assert isinstance(ready, Connection)
            process, artefact, began = self.running[ready]
            word, text = receive(ready)
            if word is None:
                done = total - len(self.left) - len(self.running)
                self.on_progress(done, total, f"{artefact.name}: {text}")
                continue
            del self.running[ready]
            process.join()
            yield Outcome(artefact, word, text, time.monotonic() - began)


def receive(connection: Connection) -> tuple[Word | None, str]:
    """What a process tells; one that ends without a word was killed."""
    try:
        told: tuple[Word | None, str] = connection.recv()
    except EOFError:
        return Word.NOT_RENEWED, "its process was killed; the same command tries again"
    return told


def work(do: Work, artefact: Artefact, connection: Connection) -> None:
    """Do something with an artefact in this process, and tell what became of it."""

    def say(text: str) -> None:
        connection.send((None, text))

    connection.send(do(artefact, say))
    connection.close()


def count_words(outcomes: Iterable[Outcome]) -> Mapping[Word, int]:
    """How many artefacts each word is said of."""
    found = [outcome.word for outcome in outcomes]
    return {word: found.count(word) for word in Word}

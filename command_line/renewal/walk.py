"""The walk over artefacts: what is stale is made in processes side by side, after what it needs.

Whatever goes wrong with one artefact costs only those that need it. All of them are told at the
end. An artefact is written whole or not at all, and knows what it was computed from: so an
interrupted walk is continued by the same command.

A process keeps what it has read and computed for the next artefact. It is ended when something that
the next one needs was made after it began.
"""

from __future__ import annotations

import enum
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from attrs import define, evolve, field, frozen

from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say

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
BLOCKING = (*FAILED, Word.STALE)
"""What needs an artefact of which this became is neither looked at nor made."""


@frozen
class RenewalOutcome:
    """What became of one artefact."""

    artefact: Artefact
    word: Word
    text: str = ""
    """What came out, or why nothing did."""
    seconds: float = 0.0


Work = Callable[[Artefact, Say], tuple[Word, str]]
"""What a process does with an artefact, and what it tells of it."""

OnProgress = Callable[[int, int, str], None]
"""Takes how much is done, of how much, and what is being done."""


def count_cores() -> int:
    """One process for each."""
    return os.cpu_count() or 1


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
) -> Iterator[RenewalOutcome]:
    """Whether each artefact is current or stale, as it is known. Nothing is made.

    One without a digest is not looked at if something that it needs is stale.
    """
    alone = {a.name: evolve(a, needs=()) if a.has_digest else a for a in artefacts}
    yield from run_all(RenewalWalk(alone, look, jobs, on_progress))


def renew_all(
    artefacts: Sequence[Artefact], on_progress: OnProgress, jobs: int
) -> Iterator[RenewalOutcome]:
    """What becomes of each artefact, as it is known; ``jobs`` of them at the same time.

    All are looked at first. Then those that are stale are made, and those that need them are looked
    at again.
    """
    ordered = {each.name: each for each in sort_by_needs(artefacts)}
    touched: dict[str, Artefact] = {}
    for outcome in look_at_all(list(ordered.values()), on_progress, jobs):
        if outcome.word is not Word.CURRENT:
            touched[outcome.artefact.name] = ordered[outcome.artefact.name]
    for name, each in ordered.items():
        if not touched.keys().isdisjoint(each.needs):
            touched[name] = each
        elif name not in touched:
            yield RenewalOutcome(each, Word.CURRENT)
    left = {name: each for name, each in ordered.items() if name in touched}
    yield from run_all(RenewalWalk(left, renew, jobs, on_progress))


def run_all(walk: RenewalWalk) -> Iterator[RenewalOutcome]:
    """Run a walk; its processes end with it."""
    try:
        yield from walk.run()
    finally:
        for worker in walk.workers:
            worker.process.terminate()
        for worker in walk.workers:
            worker.process.join()  # While one lives, it holds the lock of this walk, too.


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


@define(eq=False)
class Worker:
    """A process that does something with one artefact after another."""

    process: Any
    connection: Connection
    made_before: int
    """How many artefacts had been made when it began: it knows nothing of those made since."""
    artefact: Artefact | None = None
    """What it is doing now."""
    last: str = ""
    """What it has read about."""
    began: float = 0.0
    told: str = ""
    """What it has told last about what it is doing."""

    def begin(self, artefact: Artefact) -> None:
        """Do the next one."""
        self.artefact, self.last, self.began = artefact, artefact.about, time.monotonic()
        self.told = "begun"
        with suppress(OSError):  # A process that was killed is noticed by what it does not tell.
            self.connection.send(artefact.name)


@define
class RenewalWalk:
    """A walk under way."""

    left: dict[str, Artefact]
    """Those of which nothing is known yet, in order."""
    do: Work
    jobs: int
    on_progress: OnProgress
    words: dict[str, Word] = field(factory=dict)
    made: list[str] = field(factory=list)
    """What was made, in order."""
    workers: list[Worker] = field(factory=list)
    every: dict[str, Artefact] = field(init=False)
    """Processes find an artefact by its name."""
    unknown: set[str] = field(init=False)
    """Those that have no word yet."""

    def __attrs_post_init__(self) -> None:
        self.every, self.unknown = dict(self.left), set(self.left)

    def run(self) -> Iterator[RenewalOutcome]:
        """Begin what can begin, wait for what ends."""
        while self.left or any(worker.artefact for worker in self.workers):
            waiting = list(self.list_waiting())
            self.deal()
            for outcome in [*waiting, *self.collect_ended()]:
                self.words[outcome.artefact.name] = outcome.word
                self.unknown.discard(outcome.artefact.name)
                if outcome.word is Word.RENEWED:
                    self.made.append(outcome.artefact.name)
                self.tell_progress(outcome.artefact, outcome.word.value)
                yield outcome

    def list_waiting(self) -> Iterator[RenewalOutcome]:
        """Those that need what has failed, or what is stale and not made in this walk."""
        blocking = {name for name, word in self.words.items() if word in BLOCKING}
        for name, each in list(self.left.items()):
            if not blocking.isdisjoint(each.needs):
                del self.left[name]
                failed = next(n for n in each.needs if n in blocking)
                yield RenewalOutcome(each, Word.WAITING, f"for {failed}")

    def deal(self) -> None:
        """Give every process that is free something to do: first what answers need."""
        free = [worker for worker in self.workers if worker.artefact is None]
        for _ in range(self.jobs - len(self.workers) + len(free)):
            every = [each for each in self.left.values() if self.is_ready(each)]
            ready = [each for each in every if each.need is Need.ANSWER] or every
            if not ready:
                return
            worker = free.pop() if free else None
            chosen = next((e for e in ready if worker and e.about == worker.last), ready[0])
            if worker is None or not self.knows_enough(worker, chosen):
                if worker is not None:
                    self.end(worker)
                worker = self.start()
            del self.left[chosen.name]
            worker.begin(chosen)

    def is_ready(self, artefact: Artefact) -> bool:
        """Nothing more will become of what it needs in this walk."""
        return self.unknown.isdisjoint(artefact.needs)

    def knows_enough(self, worker: Worker, artefact: Artefact) -> bool:
        """A process has read nothing that was made again since, and is needed now."""
        return set(self.made[worker.made_before :]).isdisjoint(self.list_needed(artefact))

    def list_needed(self, artefact: Artefact) -> set[str]:
        """What an artefact needs, and what that needs."""
        needed: set[str] = set()
        open_ones = [name for name in artefact.needs if name in self.every]
        while open_ones:
            name = open_ones.pop()
            if name not in needed:
                needed.add(name)
                open_ones += (n for n in self.every[name].needs if n in self.every)
        return needed

    def start(self) -> Worker:
        """Begin a process that knows what this one knows."""
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        others = [ours, *(worker.connection for worker in self.workers)]
        process = context.Process(target=work, args=(self.every, self.do, theirs, others))
        process.start()
        theirs.close()
        worker = Worker(process, ours, len(self.made))
        self.workers.append(worker)
        return worker

    def end(self, worker: Worker) -> None:
        """End a process that is doing nothing."""
        self.workers.remove(worker)
        worker.connection.close()
        worker.process.join()

    def collect_ended(self) -> Iterator[RenewalOutcome]:
        """Wait a moment; pass on what is told, and tell of what has ended."""
        busy = {worker.connection: worker for worker in self.workers if worker.artefact}
        heard = wait(list(busy), PATIENCE_SECONDS)
        if busy and not heard:
            longest = min(busy.values(), key=lambda worker: worker.began)
            assert longest.artefact is not None
            self.tell_progress(longest.artefact, longest.told)
        for ready in heard:
            assert isinstance(ready, Connection)
            worker = busy[ready]
            assert worker.artefact is not None
            word, text = receive(ready)
            if word is None:
                worker.told = text
                self.tell_progress(worker.artefact, text)
                continue
            yield RenewalOutcome(worker.artefact, word, text, time.monotonic() - worker.began)
            worker.artefact = None
            if text is KILLED:
                self.end(worker)

    def tell_progress(self, artefact: Artefact, text: str) -> None:
        """Measure what is done by the time that it takes: looking takes about the same for all."""
        seconds = {n: 1.0 if self.do is look else e.seconds for n, e in self.every.items()}
        done = sum(seconds[name] for name in self.words)
        told = f"{len(self.words)} of {len(seconds)}, {artefact.name}: {text}"
        self.on_progress(round(done), round(sum(seconds.values())), told)


KILLED = "its process was killed; the same command tries again"


def receive(connection: Connection) -> tuple[Word | None, str]:
    """What a process tells; one that ends without a word was killed."""
    try:
        told: tuple[Word | None, str] = connection.recv()
    except (EOFError, OSError):
        return Word.NOT_RENEWED, KILLED
    return told


def work(
    artefacts: Mapping[str, Artefact], do: Work, connection: Connection, others: list[Connection]
) -> None:
    """Do something with one artefact after another, until there is no other one."""
    for other in others:
        other.close()  # Else this process would hold the ends by which others notice theirs.

    def say(text: str) -> None:
        connection.send((None, text))

    with suppress(EOFError, OSError):
        while True:
            connection.send(do(artefacts[connection.recv()], say))

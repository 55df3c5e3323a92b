"""How many mistakes the vectors of a set notice, and of which of the others it is known why."""

from __future__ import annotations

import random
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from attrs import frozen

from properties.mutants.functions import FunctionMutant, list_function_mutants
from properties.vectors.question import Data, VectorSet, list_vectors
from reference.releases.versions import USUAL

ANSWER_SECONDS = 2.0
"""A mistaken function that takes longer to answer hangs: that is noticed."""
SEED = 4410

NOT_REACHED = "no question reaches the line"
SAME_ANSWERS = "every answer is the same"

MODULES: dict[str, tuple[str, ...]] = {
    "reading": tuple(
        f"reference.decisions.reading.{name}"
        for name in ("get_message", "scan", "consume_queue", "pull", "pull_processor")
    ),
    "progress": tuple(
        f"reference.decisions.progress.{name}"
        for name in ("offset_table", "client_offsets", "config_file")
    ),
    "copying": tuple(
        f"reference.decisions.metadata.{name}" for name in ("copying", "broker_tables")
    ),
    "registration": tuple(
        f"reference.decisions.name_server.{name}" for name in ("registry", "removal", "broker_side")
    ),
    "store": tuple(
        f"reference.store.{name}"
        for name in (
            "records",
            "put",
            "slave_append",
            "recovery",
            "mapped_file_queue",
        )
    ),
}
"""The modules of a set's functions; that of the log has rules instead."""


class HangError(BaseException):
    """An answer takes too long; no handler of the functions catches it."""


@frozen
class KillRate:
    """The mistakes in the rules or functions of a set."""

    set_name: str
    mutants: int
    killed: int
    survivors: dict[str, int]
    """By the reason why no answer differs."""
    unexplained: tuple[str, ...]
    """The names of those that are reached, and answered alike."""


def is_noticed(mutant: FunctionMutant, vectors: Sequence[Data], answer: Callable[..., Any]) -> bool:
    """An answer is another one, is none, or does not come."""
    with mutant.make():
        return any(is_different(vector, answer) for vector in vectors)


def is_different(vector: Data, answer: Callable[..., Any]) -> bool:
    """This answer is another one."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise HangError

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, ANSWER_SECONDS)
    try:
        return bool(answer(USUAL, vector["ask"]).answer != vector["answer"])
    except (Exception, HangError):
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def find_reached(
    vectors: Sequence[Data], answer: Callable[..., Any], files: frozenset[str]
) -> dict[tuple[str, int], list[int]]:
    """The vectors, by their places, that reach each line of some files."""
    reached: dict[tuple[str, int], list[int]] = defaultdict(list)
    lines: set[tuple[str, int]] = set()

    def trace(frame: FrameType, _event: str, _argument: Any) -> Any:
        code: CodeType = frame.f_code
        if code.co_filename not in files:
            return None
        lines.add((code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    for index, vector in enumerate(vectors):
        lines.clear()
        sys.settrace(trace)
        try:
            answer(USUAL, vector["ask"])
        finally:
            sys.settrace(before)
        for line in lines:
            reached[line].append(index)
    return reached


def measure_functions(vector_set: VectorSet, sample: int | None = None) -> KillRate:
    """Every mistake in the functions of a set, or a drawn sample of them."""
    vectors = list(list_vectors(vector_set, USUAL))
    mutants = list(list_function_mutants(MODULES[vector_set.name]))
    if sample is not None and sample < len(mutants):
        mutants = random.Random(SEED).sample(mutants, sample)
    files = frozenset(m.target.__code__.co_filename for m in mutants)
    reached = find_reached(vectors, vector_set.answer, files)
    reasons: Counter[str] = Counter()
    alike = []
    for mutant in mutants:
        places = reached.get((mutant.target.__code__.co_filename, mutant.line))
        if not places:
            reasons[NOT_REACHED] += 1
        elif not is_noticed(mutant, [vectors[i] for i in places], vector_set.answer):
            reasons[SAME_ANSWERS] += 1
            alike.append(mutant.name)
    killed = len(mutants) - reasons.total()
    return KillRate(vector_set.name, len(mutants), killed, dict(reasons), tuple(sorted(alike)))

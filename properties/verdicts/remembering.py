"""Remembered verdicts: read from an open store, else decided.

Nothing is remembered unless a program opens a store. The store's keys decide whether an entry is
still valid. What a store gives is not proved again: the program must say that it is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import attrs

from properties.verdicts.certificates import decode_schedule, encode_schedule
from properties.verdicts.verdict import Verdict, VerdictWord


class AnswerStore(Protocol):
    """A store of answers as plain data."""

    def recall(self, key: str) -> Any | None:
        """The answer under a key; None if there is no usable one."""

    def keep(self, key: str, answer: Any) -> None:
        """Keep an answer under a key."""


MakeKey = Callable[..., str]
"""Makes a key for a question; the key changes with everything that the answer depends on."""

_OPEN: ContextVar[tuple[AnswerStore, MakeKey] | None] = ContextVar("open", default=None)


@contextmanager
def remember_in(store: AnswerStore, make_key: MakeKey) -> Iterator[None]:
    """Inside this context, verdicts are read from this store and kept in it."""
    token = _OPEN.set((store, make_key))
    try:
        yield
    finally:
        _OPEN.reset(token)


def remember(
    what: str, asked: tuple[object, ...], decide: Callable[[], tuple[Verdict, ...]]
) -> tuple[Verdict, ...]:
    """The requested verdicts: remembered ones, else decided now."""
    opened = _OPEN.get()
    if opened is None:
        return decide()
    store, make_key = opened
    key = make_key(what, *asked)
    try:
        recalled = store.recall(key)
        if recalled:
            return tuple(map(decode_verdict, recalled))
    except (KeyError, TypeError, ValueError, AttributeError):
        pass  # A damaged entry counts as missing.
    verdicts = decide()
    if not any(v.gave_up for v in verdicts):
        store.keep(key, [encode_verdict(v) for v in verdicts])
    return verdicts


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """Everything of a verdict as plain data."""
    plain = attrs.asdict(verdict, recurse=False)
    return plain | {
        "word": verdict.word.value,
        "schedule": encode_schedule(verdict.schedule),
        "lemmas": list(verdict.lemmas),
        "disputed": list(verdict.disputed),
    }


def decode_verdict(data: dict[str, Any]) -> Verdict:
    """The verdict that ``encode_verdict`` made. Raises KeyError, TypeError or ValueError."""
    return Verdict(
        **{
            **data,
            "word": VerdictWord(data["word"]),
            "schedule": decode_schedule(data["schedule"]),
            "lemmas": tuple(data["lemmas"]),
            "disputed": tuple(data["disputed"]),
        }
    )

"""A consumer's cache: the unconsumed messages of a queue.

Source: ProcessQueue of the 4.4.0 client, as concurrent consumption uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from reference.decisions.reading.decision import Case, choose_first

NO_CHANGE = -1
"""Result of a removal from an empty cache: progress stays."""


@frozen
class CachedMessage:
    """A message, as far as a consumer's progress depends on it."""

    offset: int
    """In its queue."""
    body_bytes: int = 0
    tag: str | None = None


@frozen
class ProcessQueue:
    """Unfinished messages."""

    offsets: tuple[int, ...] = ()
    """Queue offsets, ascending (``msgTreeMap``)."""
    body_bytes: int = 0
    """``msgSize``: of bodies; a message put twice counts once."""
    last_put: int = 0
    """``queueOffsetMax``: the offset of the last put message that was new.

    It is not the highest one: a pull from an earlier place lowers it (B3-01913).
    """
    is_consuming: bool = False
    """A message has been put at some time; concurrent consumption never resets this."""

    @property
    def span(self) -> int:
        """From the first offset to the last; 0 for an empty cache (#getMaxSpan)."""
        return self.offsets[-1] - self.offsets[0] if self.offsets else 0


def is_cache_empty(cache: ProcessQueue) -> bool:
    """Every message put is done."""
    return not cache.offsets


def put(cache: ProcessQueue, messages: Sequence[CachedMessage]) -> ProcessQueue:
    """The cache after messages were put, in their order (#putMessage).

    One whose offset is already there replaces the other, and changes nothing else.
    """
    new = {message.offset: message for message in reversed(messages)}
    for offset in cache.offsets:
        new.pop(offset, None)
    order = [offset for offset in dict.fromkeys(m.offset for m in messages) if offset in new]
    return ProcessQueue(
        offsets=tuple(sorted((*cache.offsets, *order))),
        body_bytes=cache.body_bytes + sum(message.body_bytes for message in new.values()),
        last_put=order[-1] if order else cache.last_put,
        is_consuming=cache.is_consuming or bool(cache.offsets or order),
    )


def is_dispatched(before: ProcessQueue, after: ProcessQueue) -> bool:
    """A put signals that consumption may begin; orderly consumption waits for it (#putMessage)."""
    return after.is_consuming and not before.is_consuming


@frozen
class Removal:
    """A cache before and after messages were removed from it."""

    before: ProcessQueue
    after: ProcessQueue


def was_empty(removal: Removal) -> bool:
    """The cache was empty before (B3-02077)."""
    return is_cache_empty(removal.before)


def is_something_left(removal: Removal) -> bool:
    """A message is unfinished: progress is the first such message, so that none is skipped."""
    return not is_cache_empty(removal.after)


def is_everything_done(removal: Removal) -> bool:
    """No message is left: progress is one past the last put message."""
    return is_cache_empty(removal.after)


PROGRESS: tuple[Case[Removal, int], ...] = (
    (was_empty, lambda _: NO_CHANGE),
    (is_something_left, lambda removal: removal.after.offsets[0]),
    (is_everything_done, lambda removal: removal.before.last_put + 1),
)
"""The progress that a removal returns, in the order of the code (R-CC-11)."""


def remove(cache: ProcessQueue, messages: Sequence[CachedMessage]) -> ProcessQueue:
    """The cache without messages that are done (#removeMessage); unknown ones change nothing."""
    known = set(cache.offsets)
    gone = {message.offset: message for message in reversed(messages) if message.offset in known}
    return ProcessQueue(
        offsets=tuple(offset for offset in cache.offsets if offset not in gone),
        body_bytes=cache.body_bytes - sum(message.body_bytes for message in gone.values()),
        last_put=cache.last_put,
        is_consuming=cache.is_consuming,
    )


def compute_progress(before: ProcessQueue, after: ProcessQueue) -> int:
    """Progress after a removal of messages, as #removeMessage returns it; NO_CHANGE: none."""
    decided = choose_first(PROGRESS, Removal(before, after))
    assert decided is not None  # Something is left, or everything is done.
    return decided.value

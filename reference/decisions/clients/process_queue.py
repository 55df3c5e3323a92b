"""The messages of a queue that a consumer has, and has not consumed: its cache.

Source: ProcessQueue of the 4.4.0 client, as concurrent consumption uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from reference.decisions.reading.decision import Case, choose_first

NO_CHANGE = -1
"""What a removal tells when there was nothing to remove from: progress stays."""


@frozen
class Message:
    """A message, as far as a consumer's progress depends on it."""

    offset: int
    """In its queue."""
    body_bytes: int = 0
    tag: str | None = None


@frozen
class ProcessQueue:
    """Messages that are not done."""

    offsets: tuple[int, ...] = ()
    """Queue offsets, ascending (``msgTreeMap``)."""
    body_bytes: int = 0
    """``msgSize``: of bodies; a message that is put twice counts once."""
    last_put: int = 0
    """``queueOffsetMax``: the offset of the message that was put last and was new then.

    It is not the highest one: a pull that goes back to an older place makes it smaller (B3-01913).
    """
    is_consuming: bool = False
    """A message has ever been put; concurrent consumption never takes it back."""

    @property
    def span(self) -> int:
        """From the first offset to the last; 0 for an empty cache (#getMaxSpan)."""
        return self.offsets[-1] - self.offsets[0] if self.offsets else 0


def is_cache_empty(cache: ProcessQueue) -> bool:
    """Everything that was put is done."""
    return not cache.offsets


def put(cache: ProcessQueue, messages: Sequence[Message]) -> ProcessQueue:
    """The cache after messages were put, in their order (#putMessage).

    One whose offset is there already takes the other's place, and counts for nothing else.
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
    """A put tells that consumption may begin; orderly consumption waits for it (#putMessage)."""
    return after.is_consuming and not before.is_consuming


@frozen
class Removal:
    """A cache before messages were taken out of it, and after."""

    before: ProcessQueue
    after: ProcessQueue


def was_empty(removal: Removal) -> bool:
    """There was nothing to remove from (B3-02077)."""
    return is_cache_empty(removal.before)


def is_something_left(removal: Removal) -> bool:
    """A message is not done: progress is the first of them, so that none is passed over."""
    return not is_cache_empty(removal.after)


def is_everything_done(removal: Removal) -> bool:
    """Nothing is left: progress is one past the message that was put last."""
    return is_cache_empty(removal.after)


PROGRESS: tuple[Case[Removal, int], ...] = (
    (was_empty, lambda _: NO_CHANGE),
    (is_something_left, lambda removal: removal.after.offsets[0]),
    (is_everything_done, lambda removal: removal.before.last_put + 1),
)
"""What a removal tells of progress, in the order of the code (R-CC-11)."""


def remove(cache: ProcessQueue, messages: Sequence[Message]) -> ProcessQueue:
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
    """Progress after messages were removed, as #removeMessage tells it; NO_CHANGE: none."""
    decided = choose_first(PROGRESS, Removal(before, after))
    assert decided is not None  # Something is left, or everything is done.
    return decided.value

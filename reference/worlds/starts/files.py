"""A running broker makes files, stores a message, and enters it into its queue.

A file is made in two steps: opened, which leaves it without bytes, and mapped, which makes it as
long as it will ever be. The log's next file is made in advance, by a thread of its own.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import all_of, any_of, negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.starts.state import (
    ABSENT,
    EMPTY,
    RECOVERING,
    RUNNING,
    SIZED,
    StartingBroker,
)


def has_process(state: StartingBroker) -> bool:
    """The broker's process is there: it serves, or it starts."""
    return any_of(state.phase == RUNNING, state.phase == RECOVERING)


def is_entering(state: StartingBroker) -> bool:
    """The followed message is to be entered: in the log, and the broker is at such a point.

    Recovery enters it if there was no clean stop, flushed or not.
    """
    is_due = state.is_stored
    if state.structure.is_dispatched_when_flushed:
        is_due = state.is_stored_on_disk
    is_entered_again = all_of(state.phase == RECOVERING, state.is_stored, state.has_abort_file)
    is_new = any_of(all_of(state.phase == RUNNING, is_due), is_entered_again)
    return is_new & negate(state.is_entered)


@rule(
    who="broker",
    source="AllocateMappedFileService#mmapOperation, MappedFile#init: new RandomAccessFile",
    says="opens a log file",
)
def open_log_file(state: StartingBroker) -> RuleBody:
    """The broker opens the next file of its log, which has no bytes yet."""
    # ENABLED WHEN
    yield when(is_running=state.phase == RUNNING, is_absent=state.log_file.stage == ABSENT)
    # EFFECT
    return evolve(state, log_file=evolve(state.log_file, stage=EMPTY))


@rule(who="broker", source="MappedFile#init: FileChannel#map", says="sizes the log file")
def size_log_file(state: StartingBroker) -> RuleBody:
    """The broker maps that file, which gives it its full length."""
    # ENABLED WHEN
    yield when(is_running=state.phase == RUNNING, is_empty=state.log_file.stage == EMPTY)
    # EFFECT
    return evolve(state, log_file=evolve(state.log_file, stage=SIZED))


@rule(who="producer", source="CommitLog#putMessage", weight=8, says="the message is put")
def store_message(state: StartingBroker) -> RuleBody:
    """A message is put that will be the first one in the next file of its queue.

    After a power loss that took it, another message takes its place.
    """
    # ENABLED WHEN
    yield when(is_running=state.phase == RUNNING, is_missing=negate(state.is_stored))
    # EFFECT
    return evolve(state, is_stored=True, ghost_was_entered=False)


@rule(
    who="broker",
    source="ConsumeQueue#putMessagePositionInfo, MappedFile#init: new RandomAccessFile",
    says="opens a queue file",
)
def open_queue_file(state: StartingBroker) -> RuleBody:
    """The broker is about to enter the message, and opens the file for its entry."""
    # ENABLED WHEN
    yield when(is_entering=is_entering(state), is_absent=state.queue_file.stage == ABSENT)
    # EFFECT
    return evolve(state, queue_file=evolve(state.queue_file, stage=EMPTY))


@rule(who="broker", source="MappedFile#init: FileChannel#map", says="sizes the queue file")
def size_queue_file(state: StartingBroker) -> RuleBody:
    """The broker maps that file, which gives it its full length, all zeros."""
    # ENABLED WHEN
    yield when(is_entering=is_entering(state), is_empty=state.queue_file.stage == EMPTY)
    # EFFECT
    return evolve(state, queue_file=evolve(state.queue_file, stage=SIZED))


@rule(
    who="broker",
    source="ConsumeQueue#putMessagePositionInfo",
    weight=1,
    says="enters the message",
)
def enter_message(state: StartingBroker) -> RuleBody:
    """The broker writes the message's entry into the queue file."""
    # ENABLED WHEN
    yield when(is_entering=is_entering(state), is_sized=state.queue_file.stage == SIZED)
    # EFFECT
    was_entered = state.ghost_was_entered | (state.phase == RUNNING)
    return evolve(state, is_entered=True, ghost_was_entered=was_entered)

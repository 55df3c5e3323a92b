"""The guarantees that operators of consumers rely on, in their words.

A claim about the followed message holds for every message, since any may be the followed one.
*Owed* to a group: put after the group began, or ahead of it when it began. *Consumed*: the
application has finished it.
"""

from __future__ import annotations

from properties.language.property import guarantee
from reference.decisions.reading.get_message import is_scanned
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.scan import NOT_SCANNED
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.reading.pulling import answer, is_asked, is_reading, make_header
from reference.worlds.reading.state import MASTER, SLAVE, Reading


def is_awaited(state: Reading) -> bool:
    """The followed message is owed to the group, on the master, and not consumed."""
    message = state.message
    return message.ghost_is_owed & message.is_on_master & negate(message.ghost_is_done)


def is_awaited_by_known(state: Reading) -> bool:
    """The followed message is awaited, and was put after a broker had taken progress."""
    return is_awaited(state) & state.message.ghost_is_owed_to_known


def is_passed(state: Reading) -> bool:
    """The consumer is beyond the followed message, and has not cached it."""
    consumer, place = state.consumer, state.message.offset
    is_pulled_past = (place < consumer.next_offset) & negate(state.message.is_cached)
    return any_of(is_pulled_past, place < consumer.corrected, place < consumer.progress)


def has_progress(state: Reading) -> bool:
    """Some broker's table has an entry."""
    return (state.master.progress >= 0) | (state.slave.progress >= 0)


def has_stopped(state: Reading) -> bool:
    """The group has once had a position, and its consumer does not run."""
    return state.consumer.ghost_has_begun & negate(state.consumer.is_running)


def was_handed(state: Reading) -> bool:
    """The followed message was handed to the application."""
    return state.message.ghost_was_handed


@guarantee(why="A message that no consumer sees is lost for the application.", premise=is_awaited)
def no_message_is_skipped(state: Reading) -> bool:
    """A message that is owed and on the master is consumed, cached, or ahead of the consumer.

    *Ahead*: of the consumer's next pull, of the place a broker has moved it to, and of its
    progress.
    """
    return implies(is_awaited(state), negate(is_passed(state)))


@guarantee(
    why="A group that begins at the end has only this guarantee, once a broker knows the group.",
    premise=is_awaited_by_known,
)
def known_group_skips_no_message(state: Reading) -> bool:
    """A message put after a broker took the first progress is consumed, cached, or ahead."""
    return implies(is_awaited_by_known(state), negate(is_passed(state)))


@guarantee(
    why="A consumer that starts from progress beyond such a message skips it, perhaps much later.",
    premise=has_progress,
)
def stored_progress_covers_consumed_only(state: Reading) -> bool:
    """No broker's progress is beyond a message that is owed, on the master and not consumed."""
    tables = (
        *(broker.progress for broker in state.brokers),
        *(broker.progress_on_disk for broker in state.brokers),
    )
    is_none_beyond = all_of(*(progress <= state.message.offset for progress in tables))
    return implies(is_awaited(state), is_none_beyond)


@guarantee(
    why="Work whose progress a broker has taken should not have to be repeated.",
    premise=has_stopped,
)
def progress_never_moves_back(state: Reading) -> bool:
    """A consumer that takes the queue begins no earlier than the progress a broker last took."""
    return negate(state.consumer.ghost_has_moved_back)


@guarantee(why="Applications must cope with messages that they get twice.", premise=was_handed)
def no_message_is_consumed_twice(state: Reading) -> bool:
    """A message is handed to the application at most once."""
    return negate(state.message.ghost_was_handed_twice)


@guarantee(
    why="Otherwise the application has acted on a message that exists for no other reader.",
    premise=was_handed,
)
def consumed_messages_stay(state: Reading) -> bool:
    """The master loses no message handed to the application, neither before nor after."""
    return negate(state.message.ghost_was_in_vain)


def is_pulled_in_vain(state: Reading, broker: int) -> bool:
    """The broker has nothing at the pulled offset, and answers: retry there at once."""
    answered = answer(state, broker, NOT_SCANNED)
    is_retry = answered.code == ResponseCode.PULL_RETRY_IMMEDIATELY
    is_same = answered.next_begin_offset == state.consumer.next_offset
    is_nothing_there = negate(is_scanned(make_header(state, broker)))
    return is_asked(state, broker) & is_nothing_there & is_retry & is_same


@guarantee(
    why="Pulls without a pause fill logs and use up CPU on both sides.",
    premise=is_reading,
)
def no_pull_is_repeated_at_once(state: Reading) -> bool:
    """No consumer repeats a pull without a pause and without new messages (R-PM-05, R-CC-08)."""
    return negate(any_of(*(is_pulled_in_vain(state, broker) for broker in (MASTER, SLAVE))))

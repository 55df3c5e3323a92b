"""What somebody who runs consumers relies on, in their words.

What is claimed of one message holds of each, since any may be the one that is followed. *Owed* to a
group is a message that was put after the group had begun, or that lay before it when it began.
*Consumed* is one that the application has finished.
"""

from __future__ import annotations

from properties.property import guarantee
from reference.decisions.reading.get_message import is_scanned
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.scan import NOT_SCANNED
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.reading.pulling import answer, is_asked, is_reading, make_header
from reference.worlds.reading.state import MASTER, SLAVE, Reading


def is_awaited(state: Reading) -> bool:
    """The followed message is owed to the group, the master has it, and nobody has consumed it."""
    message = state.message
    return message.ghost_is_owed & message.is_on_master & negate(message.ghost_is_done)


def is_awaited_by_known(state: Reading) -> bool:
    """The same, of a message that was put after a broker had taken the group's progress."""
    return is_awaited(state) & state.message.ghost_is_owed_to_known


def is_passed(state: Reading) -> bool:
    """The consumer stands behind the followed message, and has not cached it."""
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
    """The application has been handed the followed message."""
    return state.message.ghost_was_handed


@guarantee(why="A message that no consumer sees is lost to the application.", premise=is_awaited)
def no_message_is_skipped(state: Reading) -> bool:
    """A message that is owed, and that the master has, is consumed, cached, or lies ahead.

    Ahead of the consumer's next pull, of where a broker has moved it, and of its progress.
    """
    return implies(is_awaited(state), negate(is_passed(state)))


@guarantee(
    why="A group that begins at the end has to be known by a broker first; then this is left.",
    premise=is_awaited_by_known,
)
def known_group_skips_no_message(state: Reading) -> bool:
    """A message put after the group's first progress was taken is consumed, cached, or ahead."""
    return implies(is_awaited_by_known(state), negate(is_passed(state)))


@guarantee(
    why="Whoever starts from such progress skips messages, perhaps much later.",
    premise=has_progress,
)
def stored_progress_covers_consumed_only(state: Reading) -> bool:
    """A message that is owed, and that the master has, is consumed, or no table is beyond it."""
    tables = (
        *(broker.progress for broker in state.brokers),
        *(broker.progress_on_disk for broker in state.brokers),
    )
    is_none_beyond = all_of(*(progress <= state.message.offset for progress in tables))
    return implies(is_awaited(state), is_none_beyond)


@guarantee(why="What was taken by a broker should not have to be done again.", premise=has_stopped)
def progress_never_moves_back(state: Reading) -> bool:
    """Who takes the queue does not begin before the progress that a broker last took."""
    return negate(state.consumer.ghost_has_moved_back)


@guarantee(why="Applications have to cope with what they see twice.", premise=was_handed)
def no_message_is_consumed_twice(state: Reading) -> bool:
    """The application is handed a message at most once."""
    return negate(state.message.ghost_was_handed_twice)


@guarantee(
    why="The application has acted on something that never was, for everybody else.",
    premise=was_handed,
)
def consumed_messages_stay(state: Reading) -> bool:
    """No message that the application is handed is lost by the master, before or after."""
    return negate(state.message.ghost_was_in_vain)


def is_pulled_in_vain(state: Reading, broker: int) -> bool:
    """The broker is asked, has nothing there, and says: once more, at once, from the same place."""
    answered = answer(state, broker, NOT_SCANNED)
    is_retry = answered.code == ResponseCode.PULL_RETRY_IMMEDIATELY
    is_same = answered.next_begin_offset == state.consumer.next_offset
    is_nothing_there = negate(is_scanned(make_header(state, broker)))
    return is_asked(state, broker) & is_nothing_there & is_retry & is_same


@guarantee(
    why="Pulls without a pause fill logs and use up processors on both sides.",
    premise=is_reading,
)
def no_pull_is_repeated_at_once(state: Reading) -> bool:
    """No consumer pulls again and again without news or pause (R-PM-05, R-CC-08)."""
    return negate(any_of(*(is_pulled_in_vain(state, broker) for broker in (MASTER, SLAVE))))

"""What somebody who runs consumers relies on, in their words.

*Consumed* means handed to the application, and counted in the consumer's progress in memory.
*Owed* to a group is every message since its first position that no retention has deleted.
"""

from __future__ import annotations

from properties.property import guarantee
from reference.language.operators import all_of, implies, minimum, negate
from reference.worlds.consumption.consumer import is_outside, is_slave_asked
from reference.worlds.consumption.progress import is_positioned
from reference.worlds.consumption.state import Consumption


def has_progress(state: Consumption) -> bool:
    """Some broker's table has an entry."""
    return (state.master.progress >= 0) | (state.slave.progress >= 0)


def has_stopped(state: Consumption) -> bool:
    """The group has once had a position, and its consumer does not run."""
    return state.consumer.ghost_has_begun & negate(state.consumer.is_running)


def has_consumed(state: Consumption) -> bool:
    """The group has consumed a message that the master has."""
    return state.consumer.ghost_read_below > 0


@guarantee(why="A message that no consumer sees is lost to the application.", premise=is_positioned)
def no_message_is_skipped(state: Consumption) -> bool:
    """A consumer has consumed every message that the master has and that lies behind it."""
    consumer = state.consumer
    behind = minimum(consumer.position, state.master.queue_max)
    return implies(is_positioned(state), behind <= consumer.ghost_consumed_below)


@guarantee(
    why="Whoever starts from such progress skips messages, perhaps much later.",
    premise=has_progress,
)
def stored_progress_covers_consumed_only(state: Consumption) -> bool:
    """No table of a broker is ahead of what was consumed of the master's messages."""
    end, below = state.master.queue_max, state.consumer.ghost_consumed_below
    tables = (
        state.master.progress,
        state.master.progress_on_disk,
        state.slave.progress,
        state.slave.progress_on_disk,
    )
    return all_of(*(minimum(progress, end) <= below for progress in tables))


@guarantee(why="What was taken by a broker should not have to be done again.", premise=has_stopped)
def progress_never_moves_back(state: Consumption) -> bool:
    """A consumer that begins again does not begin before the progress that a broker last took."""
    return negate(state.consumer.ghost_has_moved_back)


@guarantee(why="Applications have to cope with what they see twice.", premise=has_consumed)
def no_message_is_consumed_twice(state: Consumption) -> bool:
    """A message of the master is consumed at most once."""
    return negate(state.consumer.ghost_has_reread)


@guarantee(
    why="The application has acted on something that never was, for everybody else.",
    premise=has_consumed,
)
def consumed_messages_stay(state: Consumption) -> bool:
    """The master does not lose a message that was consumed."""
    return negate(state.consumer.ghost_has_read_lost)


@guarantee(
    why="Pulls without a pause fill logs and use up processors on both sides.",
    premise=is_positioned,
)
def no_pull_is_repeated_at_once(state: Consumption) -> bool:
    """No consumer pulls without news or pause: from a slave that has nothing at its position.

    A slave that does not check offsets answers such a pull at once, with the same position
    (R-PM-05, R-CC-08).
    """
    is_vain = is_positioned(state) & is_slave_asked(state) & state.slave.is_up
    is_unchecked = not state.structure.is_offset_checked_in_slave
    return negate(is_vain & is_unchecked & is_outside(state.slave, state.consumer.position))

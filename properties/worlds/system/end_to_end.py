"""What somebody relies on who puts messages and consumes them, whatever is between."""

from __future__ import annotations

from properties.property import guarantee
from properties.worlds.reading.guarantee import is_passed
from properties.worlds.replication.guarantees import has_expired, is_owed
from reference.language.operators import implies, negate
from reference.worlds.replication.lineage import has_message
from reference.worlds.system.state import THE_SLAVE, System


def is_promised(state: System) -> bool:
    """The message was answered PUT_OK, has not expired, and is owed to the group."""
    read = state.reading.message
    return is_owed(state.message) & ((read.offset < 0) | read.ghost_is_owed)


def was_handed(state: System) -> bool:
    """The application has been handed the message."""
    return state.reading.message.ghost_was_handed


def is_on_master(state: System) -> bool:
    """The master's log has all of the message."""
    return has_message(state.cluster.master.log, state.message)


@guarantee(why="This is what a message queue is for.", premise=is_promised)
def acknowledged_is_consumed_or_to_come(state: System) -> bool:
    """A message answered PUT_OK is consumed, or the master has it and no consumer has passed it."""
    read = state.reading.message
    is_to_come = is_on_master(state) & ((read.offset < 0) | negate(is_passed(state.reading)))
    return implies(is_promised(state), read.ghost_is_done | is_to_come)


@guarantee(why="Nobody can find out what the application acted on.", premise=was_handed)
def consumed_is_kept_on_some_broker(state: System) -> bool:
    """A message that the application was handed is on the master or its slave, or has expired."""
    slave = state.cluster.slaves[THE_SLAVE].log
    is_kept = is_on_master(state) | has_message(slave, state.message)
    return implies(was_handed(state), is_kept | has_expired(state.message))


@guarantee(why="Progress cannot tell two messages with one index apart.", premise=was_handed)
def consumed_index_is_not_used_again(state: System) -> bool:
    """No other message has the index of one that the application was handed."""
    read, master = state.reading.message, state.reading.master
    is_in_queue = (master.first_kept <= read.offset) & (read.offset < master.queue_max)
    return implies(was_handed(state) & is_in_queue, read.is_on_master)

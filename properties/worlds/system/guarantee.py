"""The end-to-end guarantees, from put to consumption."""

from __future__ import annotations

from properties.language.property import guarantee
from properties.worlds.reading.guarantee import is_passed
from properties.worlds.replication.guarantees import has_expired, is_owed
from reference.language.operators import implies, negate
from reference.worlds.replication.lineage import has_message
from reference.worlds.system.promotion import (
    compute_promoted_message,
    get_promoted_log,
    get_promoted_queue,
    is_promotable,
)
from reference.worlds.system.state import THE_SLAVE, System


def is_promised(state: System) -> bool:
    """The message was answered PUT_OK, has not expired, and is owed to the group."""
    read = state.reading.message
    return is_owed(state.message) & ((read.offset < 0) | read.ghost_is_owed)


def was_handed(state: System) -> bool:
    """The message was handed to the application."""
    return state.reading.message.ghost_was_handed


def is_on_master(state: System) -> bool:
    """The master's log has all of the message."""
    return has_message(state.cluster.master.log, state.message)


@guarantee(why="This is what a message queue is for.", premise=is_promised)
def acknowledged_is_consumed_or_to_come(state: System) -> bool:
    """A message answered PUT_OK is consumed, or is on the master and no consumer has passed it."""
    read = state.reading.message
    is_to_come = is_on_master(state) & ((read.offset < 0) | negate(is_passed(state.reading)))
    return implies(is_promised(state), read.ghost_is_done | is_to_come)


def is_master_gone(state: System) -> bool:
    """The master is down, the slave runs, and a message answered PUT_OK is not consumed."""
    if state.structure.is_alone:
        return False
    slave = state.cluster.slaves[THE_SLAVE]
    is_left = negate(state.cluster.master.is_up) & slave.is_up
    return is_left & is_promised(state) & negate(state.reading.message.ghost_is_done)


@guarantee(
    why="Consumers turn to the slave when no master is listed (R-CC-01).", premise=is_master_gone
)
def acknowledged_is_read_from_the_slave(state: System) -> bool:
    """While only the slave runs, a message answered PUT_OK is consumed, or on it and not passed."""
    read = state.reading.message
    has_it = has_message(state.cluster.slaves[THE_SLAVE].log, state.message)
    is_to_come = has_it & ((read.offset < 0) | negate(is_passed(state.reading)))
    return implies(is_master_gone(state), is_to_come)


def is_promised_at_promotion(state: System) -> bool:
    """The slave is about to be promoted, and a message answered PUT_OK is not consumed."""
    is_open = is_promised(state) & negate(state.reading.message.ghost_is_done)
    return is_promotable(state) & is_open


@guarantee(
    why="A message that a promoted slave lacks never comes back.", premise=is_promised_at_promotion
)
def promotion_loses_no_acknowledged_message(state: System) -> bool:
    """A promoted slave has each message that was answered PUT_OK and is not consumed yet."""
    has_it = has_message(get_promoted_log(state), state.message)
    return implies(is_promised_at_promotion(state), has_it)


def is_awaited_at_promotion(state: System) -> bool:
    """The slave is about to be promoted, and has a message that is owed and not consumed."""
    message = compute_promoted_message(state)
    is_open = message.ghost_is_owed & message.is_on_master & negate(message.ghost_is_done)
    return is_promotable(state) & is_open & negate(has_expired(state.message))


@guarantee(why="Consumers that start anew begin at that progress.", premise=is_awaited_at_promotion)
def promotion_skips_no_message(state: System) -> bool:
    """A promoted slave's progress is beyond none of its messages that is not consumed yet."""
    message, queue = compute_promoted_message(state), get_promoted_queue(state)
    return implies(is_awaited_at_promotion(state), queue.progress <= message.offset)


def is_done_at_promotion(state: System) -> bool:
    """The slave is about to be promoted, and has a message that is consumed."""
    message = compute_promoted_message(state)
    return is_promotable(state) & message.is_on_master & message.ghost_is_done


@guarantee(
    why="Applications must cope with messages that they get twice.", premise=is_done_at_promotion
)
def promotion_repeats_no_message(state: System) -> bool:
    """A promoted slave's progress is beyond each of its messages that is consumed."""
    message, queue = compute_promoted_message(state), get_promoted_queue(state)
    return implies(is_done_at_promotion(state), message.offset < queue.progress)


@guarantee(why="Otherwise there is no record of what the application acted on.", premise=was_handed)
def consumed_is_kept_on_some_broker(state: System) -> bool:
    """A message handed to the application is on the master or its slave, or has expired."""
    slave = state.cluster.slaves[THE_SLAVE].log
    is_kept = is_on_master(state) | has_message(slave, state.message)
    return implies(was_handed(state), is_kept | has_expired(state.message))


@guarantee(why="Progress cannot tell two messages with one index apart.", premise=was_handed)
def consumed_index_is_not_used_again(state: System) -> bool:
    """No other message has the index of a message handed to the application."""
    read, master = state.reading.message, state.reading.master
    is_in_queue = (master.first_kept <= read.offset) & (read.offset < master.queue_max)
    return implies(was_handed(state) & is_in_queue, read.is_on_master)

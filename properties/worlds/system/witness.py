"""Situations that neither part can reach by itself; each has a schedule of the whole system.

A model whose queues do not show what their logs have dispatched reaches none of them.
"""

from __future__ import annotations

from properties.language.property import witness
from properties.worlds.reading.guarantee import is_passed
from properties.worlds.replication.guarantees import is_owed
from properties.worlds.system.guarantee import is_master_gone, is_promised
from reference.language.operators import negate
from reference.worlds.reading.state import SLAVE
from reference.worlds.system.promotion import (
    compute_promoted_message,
    get_promoted_queue,
    is_promotable,
)
from reference.worlds.system.state import System


@witness
def message_of_a_dead_master_is_read_from_its_slave(state: System) -> bool:
    """The master died before its own queue showed a message answered PUT_OK; a consumer has it."""
    is_shown = state.message.end_offset <= state.cluster.master.log.dispatched_offset
    return is_master_gone(state) & negate(is_shown) & state.reading.message.is_cached


@witness
def reader_is_pinned_to_a_stuck_slave(state: System) -> bool:
    """A consumer was sent to a slave that is stuck, and waits there for a message.

    The master has the message, and has deleted the file that the slave requests.
    """
    consumer, slave = state.reading.consumer, state.reading.slave
    is_sent_there = (consumer.suggested_id == SLAVE) & consumer.is_running
    is_at_its_end = (consumer.next_offset == slave.queue_max) & negate(is_passed(state.reading))
    is_owed_yet = state.reading.message.ghost_is_owed & state.reading.message.is_on_master
    is_stuck = slave.is_up & (state.reading.faults.slave_stalls > 0)
    lacks_it = negate(state.reading.message.is_on_slave)
    return is_sent_there & is_at_its_end & is_owed_yet & is_stuck & lacks_it


@witness
def reader_is_ahead_of_the_slave_it_was_sent_to(state: System) -> bool:
    """A consumer was sent to a slave that has fewer messages than it has already read."""
    consumer, slave = state.reading.consumer, state.reading.slave
    is_sent_there = (consumer.suggested_id == SLAVE) & consumer.is_running & slave.is_up
    return is_sent_there & (slave.queue_max < consumer.next_offset)


@witness
def one_message_has_two_indexes(state: System) -> bool:
    """The slave's queue has missed a message: every later one has a lower index there (#467)."""
    read = state.reading.message
    return is_owed(state.message) & read.is_on_slave & (read.slave_offset < read.offset)


@witness
def reader_is_beyond_the_queue_of_a_topic_made_again(state: System) -> bool:
    """The topic was recreated on the master; readers pull beyond the messages put since (#316)."""
    master, slave, consumer = state.reading.master, state.reading.slave, state.reading.consumer
    is_beyond = (master.queue_max < consumer.next_offset) & (master.queue_max < slave.queue_max)
    return (state.faults.topic_recreations > 0) & master.is_up & is_beyond & is_promised(state)


@witness
def promoted_slave_has_the_message_and_not_its_progress(state: System) -> bool:
    """A slave about to be promoted has a message that was consumed, and progress before it."""
    message, queue = compute_promoted_message(state), get_promoted_queue(state)
    is_done = message.is_on_master & message.ghost_is_done
    return (
        is_promotable(state) & is_done & (0 <= queue.progress) & (queue.progress <= message.offset)
    )

"""The lemmas about consumers, routes and progress that the proofs about reading need."""

from __future__ import annotations

from properties.language.property import lemma, sanity
from properties.worlds.reading.guarantee import is_awaited, is_awaited_by_known
from properties.worlds.reading.log_lemma import (
    is_every_place_kept,
    is_master_in_step,
    is_powered,
    is_slave_faithful,
)
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, implies, negate
from reference.worlds.reading.queues import has_lost_messages
from reference.worlds.reading.state import NO_OFFSET, SLAVE, QueueBroker, Reading


def is_master_always_there(state: Reading) -> bool:
    """The master was always reachable for brokers, the name server and the consumer."""
    faults = state.faults
    return (
        (faults.master_power_losses == 0)
        & (faults.master_stops == 0)
        & (faults.master_kills == 0)
        & (faults.partitions == 0)
    )


def is_queue_well_formed(broker: QueueBroker) -> bool:
    """The queue begins before it ends, and contains what is kept and what is in memory."""
    end = broker.queue_max
    return all_of(
        broker.queue_min >= 0,
        broker.queue_min <= broker.first_kept,
        broker.first_kept <= end,
        broker.first_in_memory >= 0,
        broker.first_in_memory <= end,
        broker.progress >= NO_OFFSET,
        broker.progress_on_disk >= NO_OFFSET,
    )


@sanity()
def queues_are_well_formed(state: Reading) -> bool:
    """Queues begin before they end; offsets are -1 or more; the slave copies on at its end."""
    slave, below = state.slave, state.copied_below
    is_short = (slave.queue_max <= below) & (state.faults.missed_dispatches > 0)
    is_joined = (slave.queue_max == below) | (slave.queue_max == 0) | is_short
    return all_of(
        *map(is_queue_well_formed, state.brokers),
        below >= 0,
        state.put_below >= 0,
        (state.lost_below >= 0) & ((state.lost_below == 0) | has_lost_messages(state)),
        is_joined | (state.faults.topic_recreations > 0),
        state.consumer.ghost_stored >= NO_OFFSET,
    )


@sanity()
def consumer_is_well_formed(state: Reading) -> bool:
    """It has a queue, or was moved, or neither; all that is cached is before its next pull."""
    consumer = state.consumer
    has_queue, is_moved = consumer.next_offset >= 0, consumer.corrected >= 0
    is_cached = consumer.cache_first >= 0
    offsets = (consumer.next_offset, consumer.corrected, consumer.cache_first, consumer.progress)
    return all_of(
        *(offset >= NO_OFFSET for offset in offsets),
        implies(has_queue | is_moved, consumer.is_running & consumer.ghost_has_begun),
        negate(has_queue & is_moved),
        implies(is_cached, has_queue & (consumer.cache_first < consumer.cache_end)),
        consumer.cache_end >= 0,
        implies(has_queue, consumer.cache_end <= consumer.next_offset),
        implies(negate(has_queue), consumer.cache_end == 0),
        (consumer.suggested_id == 0) | (consumer.suggested_id == 1),
        implies(negate(has_queue | is_moved), consumer.progress == NO_OFFSET),
    )


@sanity()
def message_is_well_formed(state: Reading) -> bool:
    """The followed message is at its place in a broker's queue, or is cached with it."""
    message, consumer = state.message, state.consumer
    place = message.offset
    is_anywhere = message.is_on_master | message.is_on_slave | message.is_cached
    return all_of(
        place >= NO_OFFSET,
        implies(is_anywhere | message.ghost_is_owed | message.ghost_was_handed, place >= 0),
        implies(message.is_on_master, state.master.first_kept <= place),
        implies(
            message.is_on_master,
            place < state.put_below,
        ),
        implies(
            message.is_on_slave,
            (state.slave.first_kept <= message.slave_offset)
            & (message.slave_offset < state.slave.queue_max),
        ),
        implies(
            message.is_cached,
            (consumer.cache_first >= 0)
            & (consumer.cache_first <= message.cached_offset)
            & (message.cached_offset < consumer.cache_end),
        ),
        implies(message.is_consuming, message.is_cached & message.ghost_was_handed),
        implies(message.ghost_is_owed, consumer.ghost_has_begun),
        implies(message.ghost_is_owed_to_known, consumer.ghost_stored >= 0),
    )


@sanity()
def fault_counts_are_within_limits(state: Reading) -> bool:
    """No fault happens more often than its limit."""
    return has_faults_within_limits(state)


@lemma(why="Else a master that was never away is not listed.")
def master_that_was_never_away_is_known(state: Reading) -> bool:
    """If it was never away, it runs, the name server lists it, and the consumer's route has it."""
    routes = state.routes
    is_there = state.master.is_up & routes.is_master_listed & routes.is_master_seen
    return implies(is_master_always_there(state), is_there)


@lemma(why="Else a consumer is sent to a slave by a master that never does so.")
def closed_master_suggests_itself(state: Reading) -> bool:
    """A master without ``slaveReadEnable`` that was never away keeps its consumers.

    Without it on either broker no consumer is ever sent to a slave.
    """
    if state.structure.is_master_open:
        return True
    is_alone = is_master_always_there(state) | (not state.structure.is_slave_open)
    return implies(is_alone, state.consumer.suggested_id == 0)


@lemma(why="Else a group has progress before its first position.")
def progress_comes_from_a_consumer(state: Reading) -> bool:
    """Until the group has its first position, no broker's table has an entry."""
    tables = (
        *(broker.progress for broker in state.brokers),
        *(broker.progress_on_disk for broker in state.brokers),
    )
    is_empty = all_of(*(progress < 0 for progress in tables))
    return implies(negate(state.consumer.ghost_has_begun), is_empty)


@lemma(why="Else a consumer begins before the progress that a broker has taken.")
def master_has_what_it_took(state: Reading) -> bool:
    """A master that was never away, and got no stale commit, has the progress taken last."""
    consumer, progress = state.consumer, state.master.progress
    is_fresh = is_master_always_there(state) & (state.faults.stale_commits == 0)
    has_it = progress == consumer.ghost_stored
    return implies(is_fresh, has_it & negate(consumer.ghost_has_moved_back))


@lemma(why="Else a known group begins at the end once more.")
def known_group_stays_known(state: Reading) -> bool:
    """A master that was never away has an entry once a broker has taken the group's progress."""
    is_known = state.consumer.ghost_stored >= 0
    return implies(is_master_always_there(state) & is_known, state.master.progress >= 0)


def is_read_from_master_alone(state: Reading) -> bool:
    """The slave answers no pull, or the master was never away and sends no consumer there."""
    structure, is_never_away = state.structure, is_master_always_there(state)
    is_sent_nowhere = is_never_away & (not structure.is_master_open)
    return is_powered(state) & (structure.is_closed_slave_silent | is_sent_nowhere)


def is_slave_always_there(state: Reading) -> bool:
    """The slave was always reachable for the name server and the consumer."""
    faults = state.faults
    counts = (faults.slave_stops, faults.slave_kills, faults.slave_losses)
    return all_of(*(count == 0 for count in counts))


@lemma(why="Else a consumer that is sent to the slave asks its master.")
def slave_that_was_never_away_is_known(state: Reading) -> bool:
    """If it was never away, it runs, the name server lists it, and the consumer's route has it."""
    routes = state.routes
    is_there = state.slave.is_up & routes.is_slave_listed & routes.is_slave_seen
    return implies(is_slave_always_there(state), is_there)


def is_read_from_slave_alone(state: Reading) -> bool:
    """Every consumer is sent to the slave, which was never away: after one read it reads there."""
    structure = state.structure
    is_sent = structure.is_master_open and structure.is_slave_open and structure.broker_id == SLAVE
    return is_slave_always_there(state) & is_sent


@lemma(why="Else a master that is behind its slave moves a consumer that has messages.")
def whoever_has_messages_reads_from_the_slave(state: Reading) -> bool:
    """If all are sent to the slave, a consumer with cached messages has been sent there."""
    is_sent = state.consumer.suggested_id == SLAVE
    has_messages = state.consumer.cache_first >= 0
    return implies(is_read_from_slave_alone(state) & has_messages, is_sent)


def list_positions(state: Reading) -> tuple[int, ...]:
    """Every place from which the group may continue, except the consumer's next pull."""
    return (
        *(state.consumer.corrected, state.consumer.progress),
        *(broker.progress for broker in state.brokers),
        *(broker.progress_on_disk for broker in state.brokers),
    )


@lemma(why="Else a message is put before the position of a consumer that has never seen it.")
def positions_are_within_the_queue(state: Reading) -> bool:
    """While the master loses no message, no position is beyond the last put message.

    A consumer that reads from the master alone is not beyond the messages that it shows.
    """
    positions = (*list_positions(state), state.consumer.next_offset, state.consumer.ghost_stored)
    is_within = all_of(*(position <= state.put_below for position in positions))
    is_shown = all_of(*(position <= state.master.queue_max for position in positions))
    is_shown_there = implies(is_read_from_master_alone(state), is_shown)
    return implies(is_powered(state), is_within & is_shown_there)


@lemma(why="Else progress moves past a message that has another place in the cache.")
def message_is_cached_in_its_place(state: Reading) -> bool:
    """The consumer caches the followed message with the index that the master gave it."""
    message, is_kept = state.message, is_every_place_kept(state)
    is_same = implies(message.is_cached, message.cached_offset == message.offset)
    return implies(is_kept | is_read_from_master_alone(state), is_same)


@lemma(why="Else a consumer passes over a message that it could have read.")
def nothing_awaited_is_passed(state: Reading) -> bool:
    """No position or progress is beyond an awaited message, unless a slave moves the consumer.

    The consumer reads from the master alone, or from a faithful slave too. For a group that begins
    at the end, this covers messages put after a broker knew the group, while the master is never
    away.
    """
    structure, consumer, message = state.structure, state.consumer, state.message
    is_checked = structure.is_offset_checked_in_slave
    is_unmoved_by_master = is_master_in_step(state) | is_read_from_slave_alone(state)
    is_unmoved = is_slave_faithful(state) & is_unmoved_by_master & (not is_checked)
    is_ahead = (consumer.next_offset <= message.offset) | message.is_cached
    is_none_beyond = all_of(*(position <= message.offset for position in list_positions(state)))
    is_known = is_awaited_by_known(state) & is_master_always_there(state)
    is_counted = is_awaited(state) if structure.is_from_first else is_known
    is_left = is_counted & (is_read_from_master_alone(state) | is_unmoved)
    return implies(is_left, is_ahead & is_none_beyond)

"""Lemmas for brokers that show only what is flushed: a power loss takes nothing from a queue."""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.reading.guarantee import is_awaited
from properties.worlds.reading.lemma import list_positions
from properties.worlds.replication.lemmas import is_disk_honest, is_joined_from_start
from reference.language.operators import all_of, implies, negate
from reference.worlds.replication.changes.dispatch_flushed_with_sync_flush import VARIANT
from reference.worlds.replication.lineage import has_message, is_in_lineage, is_written
from reference.worlds.system.state import THE_SLAVE, System, get_cluster

FLUSHED_FIRST = VARIANT.name


def is_master_honest(state: System) -> bool:
    """What counts as flushed is on the master's disk, which was not lost, nor was its topic."""
    is_kept = (state.faults.master_disk_losses == 0) & (state.faults.topic_recreations == 0)
    return is_disk_honest(get_cluster(state)) & is_kept


def is_flushed_alone(state: System) -> bool:
    """Only the master, which shows what is flushed, is read: its slave answers no pull."""
    structure = state.reading.structure
    return state.cluster.structure.is_sync_flush and structure.is_closed_slave_silent


@lemma(FLUSHED_FIRST, why="Else a power loss takes messages from a queue.")
def shown_with_sync_flush_is_on_disk(state: System) -> bool:
    """With SYNC_FLUSH the master's queue shows no message that is not on its disk."""
    if not state.cluster.structure.is_sync_flush:
        return True
    log, put = state.cluster.master.log, state.message
    is_on_disk = log.dispatched_offset <= log.ghost_durable_offset
    is_reached = has_message(log, put) & (put.end_offset <= log.dispatched_offset)
    return implies(is_master_honest(state), is_on_disk & implies(is_reached, put.ghost_is_readable))


@lemma(FLUSHED_FIRST, why="Else a power loss cuts a message that is dispatched in part.")
def message_is_dispatched_whole(state: System) -> bool:
    """The dispatch of an honest master does not end inside the followed message."""
    log, put = state.cluster.master.log, state.message
    is_there = is_written(put) & is_in_lineage(log, put)
    shown = log.dispatched_offset
    is_whole = (shown <= put.start_offset) | (put.end_offset <= shown)
    return implies(is_master_honest(state) & is_there, is_whole)


@lemma(FLUSHED_FIRST, why="Else a slave that copies on replaces a message that it has.")
def followed_message_follows_earlier_lives(state: System) -> bool:
    """In the master's log no earlier log epoch reaches beyond the start of the message."""
    put, ends = state.message, state.cluster.master.log.ends
    lives = range(1, len(ends))
    is_behind = ((put.ghost_life != n) | (ends[n - 1] <= put.start_offset) for n in lives)
    return implies(is_written(put), all_of(*is_behind))


def is_slave_unended(state: System) -> bool:
    """The slave has run from the beginning, and has written each byte in its place."""
    faults = state.faults
    ends = (faults.slave_stops, faults.slave_kills, faults.slave_power_losses, faults.slave_wipes)
    return all_of(*(count == 0 for count in ends)) & is_joined_from_start(get_cluster(state))


@lemma(FLUSHED_FIRST, why="Else a slave shows a message that it has no more.")
def shown_by_unended_slave_is_there(state: System) -> bool:
    """A slave that has never ended has in its log what its queue shows, until it expires."""
    log, put = state.cluster.slaves[THE_SLAVE].log, state.message
    is_there = has_message(log, put) | put.ghost_is_expired
    is_whole = log.ghost_torn_end_offset <= log.ghost_torn_start_offset
    is_known = (log.ghost_unknown_below_offset == 0) & is_whole
    is_shown = state.reading.message.is_on_slave & is_master_honest(state)
    return implies(is_slave_unended(state), is_known & implies(is_shown, is_there))


@lemma(FLUSHED_FIRST, why="Else a consumer is handed a message that a power loss takes.")
def consumed_with_sync_flush_was_readable(state: System) -> bool:
    """A consumed message was readable on the master, or is on a slave that has never ended.

    Where the slave answers no pull, it was readable on the master.
    """
    if not state.cluster.structure.is_sync_flush:
        return True
    read, put = state.reading.message, state.message
    is_consumed = (read.is_cached | read.ghost_was_handed) & is_master_honest(state)
    if is_flushed_alone(state):
        return implies(is_consumed, put.ghost_is_readable)
    is_there = has_message(state.cluster.slaves[THE_SLAVE].log, put) | put.ghost_is_expired
    is_held = is_there | negate(is_slave_unended(state))
    return implies(is_consumed, put.ghost_is_readable | is_held)


@lemma(FLUSHED_FIRST, why="Else a power loss frees the index of a consumed message.")
def readable_with_sync_flush_goes_by_retention_only(state: System) -> bool:
    """With SYNC_FLUSH a message that was readable on the master is there, or was deleted by age."""
    if not state.cluster.structure.is_sync_flush:
        return True
    log, put, message = state.cluster.master.log, state.message, state.reading.message
    is_kept = message.is_on_master & has_message(log, put)
    first = state.reading.master.first_kept
    is_deleted = (put.end_offset <= log.start_offset) & (message.offset < first)
    is_dispatched = put.end_offset <= log.dispatched_offset
    is_left = (is_kept | is_deleted) & is_dispatched
    return implies(is_master_honest(state) & put.ghost_is_readable, is_left)


@lemma(FLUSHED_FIRST, why="Else a message gets an index that a consumer has passed.")
def positions_are_within_the_flushed_queue(state: System) -> bool:
    """No position of a group that reads the master alone is beyond the messages that it shows."""
    if not is_flushed_alone(state):
        return True
    reading = state.reading
    positions = (*list_positions(reading), reading.consumer.next_offset)
    is_within = all_of(*(each <= reading.master.queue_max for each in positions))
    return implies(is_master_honest(state), is_within)


@lemma(FLUSHED_FIRST, why="Else progress moves past a message that has another place in the cache.")
def flushed_message_is_cached_in_its_place(state: System) -> bool:
    """A group that reads the master alone caches the message with the index of its queue."""
    if not is_flushed_alone(state):
        return True
    message = state.reading.message
    is_same = message.cached_offset == message.offset
    return implies(is_master_honest(state) & message.is_cached, is_same)


@lemma(FLUSHED_FIRST, why="Else a consumer passes a message that it could have read.")
def nothing_flushed_is_passed(state: System) -> bool:
    """A group that reads the master alone from the first message on passes none that it awaits."""
    reading = state.reading
    if not (is_flushed_alone(state) and reading.structure.is_from_first):
        return True
    consumer, message = reading.consumer, reading.message
    is_ahead = (consumer.next_offset <= message.offset) | message.is_cached
    is_none_beyond = all_of(*(each <= message.offset for each in list_positions(reading)))
    is_left = is_master_honest(state) & is_awaited(reading)
    return implies(is_left, is_ahead & is_none_beyond)

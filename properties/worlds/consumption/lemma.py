"""What the proofs about progress need."""

from __future__ import annotations

from properties.property import lemma
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, implies, negate
from reference.worlds.consumption.state import NO_PROGRESS, Consumption


def is_powered(state: Consumption) -> bool:
    """The master has lost no power so far."""
    return state.faults.master_power_losses == 0


def is_master_always_there(state: Consumption) -> bool:
    """The master has never been away, for brokers, the name server or the consumer."""
    faults = state.faults
    return (
        is_powered(state)
        & (faults.master_stops == 0)
        & (faults.master_kills == 0)
        & (faults.partitions == 0)
    )


def is_calm(state: Consumption) -> bool:
    """The master was always there, and the consumer always stopped in order."""
    return is_master_always_there(state) & (state.faults.consumer_kills == 0)


@lemma(why="Else a queue ends before it begins.")
def queues_are_well_formed(state: Consumption) -> bool:
    """Queues begin at 0 or later and do not end before they begin; positions are -1 or more."""
    brokers, consumer = (state.master, state.slave), state.consumer
    positions = (consumer.position, *(b.progress for b in brokers))
    on_disk = (b.progress_on_disk for b in brokers)
    return all_of(
        *((b.queue_min >= 0) & (b.queue_min <= b.queue_max) for b in brokers),
        *(position >= NO_PROGRESS for position in (*positions, *on_disk)),
        state.ghost_same_below >= 0,
        state.ghost_same_below <= state.slave.queue_max,
        consumer.ghost_read_below >= 0,
        consumer.ghost_stored >= 0,
    )


@lemma(why="Else a fault that never strikes has struck.")
def fault_counts_are_within_limits(state: Consumption) -> bool:
    """No fault strikes more often than it may."""
    return has_faults_within_limits(state)


@lemma(why="Else a master that was never away is not listed.")
def master_that_was_never_away_is_known(state: Consumption) -> bool:
    """It runs, the name server lists it, and the consumer's route has it."""
    routes = state.routes
    is_there = state.master.is_up & routes.is_master_listed & routes.is_master_seen
    return implies(is_master_always_there(state), is_there)


@lemma(why="Else a slave has messages that its master has not.")
def slave_is_behind_its_master(state: Consumption) -> bool:
    """While the master loses no power, the slave has a beginning of its messages."""
    slave, end = state.slave, state.master.queue_max
    is_same = state.ghost_same_below == slave.queue_max
    return implies(is_powered(state), (slave.queue_max <= end) & is_same)


@lemma(why="Else a correction passes over messages that are owed.")
def expired_is_not_owed(state: Consumption) -> bool:
    """What retention has deleted is owed to nobody; on a slave while the master loses no power."""
    below = state.consumer.ghost_consumed_below
    is_so_on_slave = implies(is_powered(state), state.slave.queue_min <= below)
    return (state.master.queue_min <= below) & is_so_on_slave


@lemma(why="Else more was consumed than there was.")
def consumed_is_within_the_queue(state: Consumption) -> bool:
    """Nothing was consumed beyond the master's end, and what was consumed is not owed any more."""
    consumer, end = state.consumer, state.master.queue_max
    is_within = (consumer.ghost_read_below <= end) & (consumer.ghost_consumed_below <= end)
    return implies(is_powered(state), is_within & negate(consumer.ghost_has_read_lost))


@lemma(why="Else a consumer begins at the end although its group had begun before.")
def stopped_group_has_progress(state: Consumption) -> bool:
    """A group whose consumer stopped in order has an entry at a master that was always there."""
    is_between = state.consumer.ghost_has_begun & (state.consumer.position < 0)
    return implies(is_calm(state) & is_between, state.master.progress >= 0)


@lemma(why="Else a group has progress that no consumer has sent.")
def progress_comes_from_a_consumer(state: Consumption) -> bool:
    """Before the group's first position no table has an entry."""
    brokers = (state.master, state.slave)
    is_empty = all_of(
        *((b.progress < 0) & (b.progress_on_disk < 0) for b in brokers), state.consumer.position < 0
    )
    return implies(negate(state.consumer.ghost_has_begun), is_empty)


@lemma(why="Else a position is taken from a table that is ahead.")
def positions_are_consumed(state: Consumption) -> bool:
    """Where the consumer stopped in order, no position is ahead of what was consumed."""
    consumer, brokers = state.consumer, (state.master, state.slave)
    tables = (*(b.progress for b in brokers), *(b.progress_on_disk for b in brokers))
    below = consumer.ghost_consumed_below
    return implies(is_calm(state), all_of(*(p <= below for p in (*tables, consumer.position))))


@lemma(why="Else a consumer begins before the progress that a broker has taken.")
def master_has_what_it_took(state: Consumption) -> bool:
    """A master that was always there, and got no stale commit, has the progress taken last."""
    is_fresh = is_master_always_there(state) & (state.faults.stale_commits == 0)
    has_it = (state.master.progress == state.consumer.ghost_stored) | (
        (state.master.progress < 0) & (state.consumer.ghost_stored == 0)
    )
    return implies(is_fresh, has_it & negate(state.consumer.ghost_has_moved_back))


@lemma(why="Else a consumer comes upon a message that it has consumed.")
def position_is_behind_what_was_read(state: Consumption) -> bool:
    """Without stale commits and corrections by a slave, everything read lies below the position."""
    structure, consumer = state.structure, state.consumer
    if structure.is_slave_read and structure.is_offset_checked_in_slave:
        return True
    is_fresh = is_calm(state) & (state.faults.stale_commits == 0)
    is_behind = implies(consumer.position >= 0, consumer.ghost_read_below <= consumer.position)
    is_kept = implies(
        (consumer.position < 0) & consumer.ghost_has_begun,
        consumer.ghost_read_below <= state.master.progress,
    )
    has_not_read = consumer.ghost_has_begun | (consumer.ghost_read_below == 0)
    return implies(is_fresh, is_behind & is_kept & has_not_read & negate(consumer.ghost_has_reread))

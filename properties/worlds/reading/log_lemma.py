"""What the proofs about reading need of the log: what replication has to deliver to a reader.

Each speaks of queues and the followed message alone.
"""

from __future__ import annotations

from properties.property import lemma
from reference.language.operators import implies, maximum, negate
from reference.worlds.reading.state import Reading


def is_powered(state: Reading) -> bool:
    """The master has lost no power so far."""
    return state.faults.master_power_losses == 0


@lemma(why="Else a master that was never away has less than was read of it.")
def message_goes_by_retention_only(state: Reading) -> bool:
    """A master that has lost no power has the message, or its retention has deleted it."""
    message, master = state.message, state.master
    is_deleted = message.offset < master.first_kept
    is_kept = implies(message.offset >= 0, message.is_on_master | is_deleted)
    return implies(is_powered(state), is_kept & negate(message.ghost_was_in_vain))


@lemma(why="Else a consumer is led beyond its master's end by a slave.")
def slave_is_behind_its_master(state: Reading) -> bool:
    """While the master loses no power, the slave has copied nothing that the master has not."""
    return implies(is_powered(state), state.copied_below <= state.master.queue_max)


def is_slave_faithful(state: Reading) -> bool:
    """The slave has deleted nothing before its master, which has lost no power."""
    return is_powered(state) & (state.faults.early_deletions == 0)


@lemma(why="Else a consumer is led over a message that only its master has.")
def slave_keeps_what_its_master_keeps(state: Reading) -> bool:
    """From where its queue begins, a faithful slave has deleted nothing that its master has."""
    slave, master, message = state.slave, state.master, state.message
    is_kept = slave.first_kept <= maximum(slave.queue_min, master.first_kept)
    is_reached = (slave.queue_min <= message.offset) & (message.offset < slave.queue_max)
    is_held = implies(is_reached & message.is_on_master, message.is_on_slave)
    return implies(is_slave_faithful(state), is_kept & is_held)


@lemma(why="Else a consumer at the end of a slave that copies has not read all there is.")
def slave_has_what_it_copied(state: Reading) -> bool:
    """A slave that lost nothing has what it copied; one that was never stuck goes on copying."""
    is_whole = state.slave.queue_max == state.copied_below
    is_there = implies(state.faults.slave_losses == 0, is_whole)
    return is_there & implies(state.faults.slave_stalls == 0, state.is_copying)

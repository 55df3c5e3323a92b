"""The lemmas about the log that the proofs about reading need: what replication owes a reader.

Each mentions only queues and the followed message.
"""

from __future__ import annotations

from properties.language.property import lemma
from reference.language.operators import implies, maximum, negate
from reference.worlds.reading.state import Reading


def is_powered(state: Reading) -> bool:
    """The master has lost neither power nor its topic so far."""
    faults = state.faults
    return (faults.master_power_losses == 0) & (faults.topic_recreations == 0)


def is_master_in_step(state: Reading) -> bool:
    """No slave has shown a message before its running master."""
    return state.faults.lagging_dispatches == 0


@lemma(why="Else a master that was never away lacks a message that was read from it.")
def message_goes_by_retention_only(state: Reading) -> bool:
    """A master that has lost no power has the message, or its retention has deleted it."""
    message, master = state.message, state.master
    is_deleted = message.offset < master.first_kept
    is_kept = implies(message.offset >= 0, message.is_on_master | is_deleted)
    return implies(is_powered(state), is_kept & negate(message.ghost_was_in_vain))


def is_every_place_kept(state: Reading) -> bool:
    """No queue was recreated, and none has missed a message."""
    return is_powered(state) & (state.faults.missed_dispatches == 0)


@lemma(why="Else a message read from one broker has another place on the other.")
def message_has_one_place(state: Reading) -> bool:
    """The followed message has the same place in both queues."""
    message = state.message
    is_same = (message.slave_offset == message.offset) | (message.slave_offset < 0)
    return implies(is_every_place_kept(state), is_same)


@lemma(why="Else a slave leads a consumer beyond its master's end.")
def queues_end_with_what_was_put(state: Reading) -> bool:
    """No queue shows more than was put, and a running master shows all of it."""
    put, shown = state.put_below, state.master.queue_max
    is_all_shown = implies(is_master_in_step(state) & state.master.is_up, put <= shown)
    is_within = (shown <= put) & (state.copied_below <= put)
    return implies(is_powered(state), is_within & is_all_shown)


def is_slave_faithful(state: Reading) -> bool:
    """The slave has every message that it shows, whole and in its master's place."""
    faults = state.faults
    is_whole = (faults.early_deletions == 0) & (faults.torn_copies == 0)
    return is_powered(state) & is_whole & (faults.missed_dispatches == 0)


@lemma(why="Else a consumer is led past a message that only its master has.")
def slave_keeps_what_its_master_keeps(state: Reading) -> bool:
    """Within its queue, a faithful slave has deleted no message that its master has."""
    slave, master, message = state.slave, state.master, state.message
    is_kept = slave.first_kept <= maximum(slave.queue_min, master.first_kept)
    is_reached = (slave.queue_min <= message.offset) & (message.offset < slave.queue_max)
    is_held = implies(is_reached & message.is_on_master, message.is_on_slave)
    return implies(is_slave_faithful(state), is_kept & is_held)


@lemma(why="Else a consumer at the end of a copying slave has not read all messages.")
def slave_has_what_it_copied(state: Reading) -> bool:
    """A slave that lost nothing has all it copied; a slave that was never stuck keeps copying."""
    faults, is_whole = state.faults, state.slave.queue_max == state.copied_below
    is_unmoved = (faults.topic_recreations == 0) & (faults.missed_dispatches == 0)
    is_there = implies((faults.slave_losses == 0) & is_unmoved, is_whole)
    return is_there & implies(state.faults.slave_stalls == 0, state.is_copying)

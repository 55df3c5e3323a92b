"""The lemmas that connect both parts: readers see of a log exactly what is in it."""

from __future__ import annotations

import itertools

import attrs

from properties.language.property import lemma, sanity
from properties.worlds.reading.guarantee import is_awaited
from properties.worlds.reading.lemma import is_read_from_slave_alone, list_positions
from properties.worlds.reading.log_lemma import is_master_in_step, is_powered
from properties.worlds.replication.lemmas import (
    is_first_life,
    is_joined_from_start,
    is_slave_power_intact,
)
from reference.language.fault_account import has_faults_within_limits
from reference.language.operators import all_of, implies, is_same, negate
from reference.worlds.reading.state import ReadingFaults
from reference.worlds.replication.lineage import (
    has_first_bytes,
    has_message,
    is_in_lineage,
    is_scanned,
    is_torn,
    is_written,
)
from reference.worlds.replication.put import has_passed_slave_step, is_slave_always_asked
from reference.worlds.system.indexes import (
    find_slave_begin,
    has_common_indexes,
    has_one_lineage,
    has_own_indexes,
    leave_out_blank,
)
from reference.worlds.system.state import THE_SLAVE, System, get_cluster


@sanity()
def no_fault_strikes_too_often(state: System) -> bool:
    """No fault happens more often than its limit, and readers' counts are not negative."""
    counts = (getattr(state.reading.faults, name) for name in attrs.fields_dict(ReadingFaults))
    return has_faults_within_limits(state) & all_of(*(count >= 0 for count in counts))


@sanity()
def brokers_run_or_do_not(state: System) -> bool:
    """For readers a broker runs exactly if its process does."""
    master, slave = state.reading.brokers
    return is_same(master.is_up, state.cluster.master.is_up) & is_same(
        slave.is_up, state.cluster.slaves[THE_SLAVE].is_up
    )


@lemma(why="Else a proof about readers in their own world need not hold here.")
def log_is_an_environment_of_readers(state: System) -> bool:
    """Each step of the log looks to readers like a step that their environment may take."""
    return state.ghost_is_environment


LOSSES = ("master_power_losses", "master_disk_losses")
"""After these the master lacks messages."""

PARTINGS = (
    *("missed_dispatches", "topic_recreations", "swallowed_disk_errors", "failed_file_creations"),
    *("late_joins", "torn_rolls", *LOSSES),
)
"""After these an offset or an index need not mean the same on both brokers."""

CAUSES = {
    "consumer_kills": ("consumer_kills",),
    "slave_stops": ("slave_stops",),
    "slave_kills": ("slave_kills",),
    "early_deletions": ("early_deletions", "forced_deletions", *PARTINGS),
    "torn_copies": ("slave_stops", "slave_kills", "slave_power_losses", *PARTINGS),
    "slave_losses": ("slave_power_losses", "slave_wipes", *PARTINGS),
    "slave_stalls": ("uncopied_expiries", "forced_deletions", *PARTINGS),
    "lagging_dispatches": ("lagging_dispatches", *PARTINGS),
    "missed_dispatches": ("missed_dispatches",),
    "topic_recreations": ("topic_recreations",),
    "master_stops": ("master_stops",),
    "partitions": ("partitions",),
    "stale_commits": ("stale_commits",),
    "master_kills": ("master_kills",),
    "master_power_losses": LOSSES,
}
"""The causes of each fault that readers see: at least one of them has happened before."""


@lemma(why="Else readers see a fault without a cause.")
def faults_have_causes(state: System) -> bool:
    """Each fault that readers count has a cause in the log, the brokers or the consumer.

    Where there is no slave, retention outruns the one that never starts.
    """
    outrun = {"slave_stalls"} if state.structure.is_alone else set()
    return all_of(
        *(
            implies(
                all_of(*(getattr(state.faults, cause) == 0 for cause in causes)),
                getattr(state.reading.faults, seen) == 0,
            )
            for seen, causes in CAUSES.items()
            if seen not in outrun
        )
    )


def is_message_shared(state: System) -> bool:
    """No queue was recreated."""
    return has_own_indexes(state.reading)


@lemma(why="Else a message that the log has is skipped, or one that it lacks is read.")
def followed_message_is_one(state: System) -> bool:
    """A queue has the followed message exactly if its log has it and has dispatched it."""
    put, read = state.message, state.reading.message
    log, slave = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
    is_shown = read.offset >= 0
    return implies(
        is_message_shared(state),
        implies(is_shown, is_written(put))
        & implies(read.is_on_master, is_shown & has_message(log, put))
        & implies(is_shown & has_message(log, put), read.is_on_master)
        & implies(
            read.is_on_slave & has_one_lineage(get_cluster(state)),
            is_shown & has_message(slave, put) & (put.end_offset <= slave.dispatched_offset),
        ),
    )


@lemma(why="Else a consumer is handed a message that no broker has ever had.")
def message_with_an_index_was_written(state: System) -> bool:
    """A message that some queue has shown was appended, also in a recreated topic."""
    return implies(state.reading.message.offset >= 0, is_written(state.message))


@lemma(why="Else a master is down that was neither stopped nor failed.")
def only_an_end_takes_the_master(state: System) -> bool:
    """A master that was never stopped or killed and lost neither power nor disk runs.

    It has cut no blank off: only a start does.
    """
    faults = state.faults
    ends = (faults.master_stops, faults.master_kills, *(getattr(faults, name) for name in LOSSES))
    is_unended = all_of(*(count == 0 for count in ends))
    return implies(is_unended, state.cluster.master.is_up & (faults.torn_rolls == 0))


def is_slave_unended(state: System) -> bool:
    """The slave was never stopped or killed, and lost no power."""
    faults = state.faults
    ends = (faults.slave_stops, faults.slave_kills, faults.slave_power_losses)
    return all_of(*(count == 0 for count in ends))


@lemma(why="Else a slave's copy is torn although the slave was never stopped or failed.")
def only_an_end_tears_a_copy(state: System) -> bool:
    """A slave that never stopped or failed runs, and has taken no partial record for whole.

    Its store was never emptied: that needs a stopped slave.
    """
    slave = state.cluster.slaves[THE_SLAVE]
    is_whole = slave.log.ghost_torn_end_offset <= slave.log.ghost_torn_start_offset
    is_kept = state.faults.slave_wipes == 0
    return implies(is_slave_unended(state), is_whole & is_kept & slave.is_up)


@lemma(
    why="Else SYNC_FLUSH, whose disk step is first, acknowledges a message that a slave has in "
    "part."
)
def unended_slave_reports_what_it_received(state: System) -> bool:
    """A slave that never stopped or failed has received each message that it has reported.

    Only a recovery extends a log beyond the received bytes (R-RC-06), however long a put waits.
    """
    cluster, put, faults = get_cluster(state), state.message, state.faults
    slave, link = cluster.slaves[THE_SLAVE], cluster.links[THE_SLAVE]
    is_alike = is_first_life(cluster) & is_joined_from_start(cluster)
    is_unended = is_slave_unended(state) & is_alike & (faults.alien_reports == 0)
    is_lacked = is_written(put) & negate(put.ghost_is_received | put.ghost_is_expired)
    reports = (slave.log.max_offset, link.reported_offset, cluster.master.push2_slave_max_offset)
    is_unreported = all_of(*(report < put.end_offset for report in reports))
    is_asked = cluster.structure.is_sync_master and is_slave_always_asked(cluster)
    is_answered = has_passed_slave_step(cluster, put) if is_asked else False
    is_served = (faults.role_switches == 0) & is_answered
    return implies(is_unended & is_lacked, is_unreported & negate(is_served))


def are_logs_alike(state: System) -> bool:
    """No event has made the logs or queues differ: an offset or an index means the same on both."""
    return all_of(*(getattr(state.faults, name) == 0 for name in PARTINGS))


def is_copied_from_the_first(state: System) -> bool:
    """The logs and queues are alike, and the slave has lost nothing."""
    return are_logs_alike(state) & is_slave_power_intact(get_cluster(state))


@lemma(why="Else a message is acknowledged whose copy the slave's readers skip.")
def damaged_copy_was_never_received(state: System) -> bool:
    """A copy that readers find damaged has expired, or the slave never had all of it."""
    put, log = state.message, state.cluster.slaves[THE_SLAVE].log
    is_damaged = state.reading.faults.torn_copies > 0
    return implies(
        is_copied_from_the_first(state) & is_damaged,
        is_written(put)
        & is_torn(log, put)
        & (put.end_offset <= log.dispatched_offset)
        & (negate(put.ghost_is_received) | put.ghost_is_expired),
    )


@lemma(why="Else a slave's recovery cuts off bytes that its queue shows.")
def dispatch_waits_for_the_whole(state: System) -> bool:
    """A slave's dispatch stops at a partial message (R-RP-02)."""
    put, log = state.message, state.cluster.slaves[THE_SLAVE].log
    is_in_part = has_first_bytes(log, put) & negate(is_scanned(log, put))
    is_waiting = log.dispatched_offset <= put.start_offset
    is_powered = state.faults.slave_power_losses == 0
    is_up = state.cluster.slaves[THE_SLAVE].is_up | is_powered
    return implies(has_one_lineage(get_cluster(state)) & is_up & is_in_part, is_waiting)


@lemma(why="Else a message is inside the blank that fills its file.")
def followed_message_is_before_the_blank(state: System) -> bool:
    """If the master's log ends with a blank, the followed message is before it."""
    put, master = state.message, state.cluster.master
    is_there = is_written(put) & is_in_lineage(master.log, put)
    blank = master.trailing_blank_offset
    return implies(is_there & (blank >= 0), put.end_offset <= blank)


@lemma(why="Else part of a message is deleted.")
def followed_message_is_in_one_file(state: System) -> bool:
    """The master's log does not begin inside the followed message (R-CL-06)."""
    put, start = state.message, state.cluster.master.log.start_offset
    return implies(is_written(put), (start <= put.start_offset) | (put.end_offset <= start))


@lemma(why="Else retention deletes a message that its queue has never shown.")
def dispatch_is_not_overtaken(state: System) -> bool:
    """A dispatch is at the beginning of its log or beyond; a slave's may not have begun."""
    log, slave = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
    is_begun = (slave.dispatched_offset == 0) | (slave.start_offset <= slave.dispatched_offset)
    is_early = implies(
        is_joined_from_start(get_cluster(state)), slave.start_offset <= slave.dispatched_offset
    )
    return (log.start_offset <= log.dispatched_offset) & is_begun & is_early


def is_index_common(state: System) -> bool:
    """An index means the same message on both brokers."""
    return has_common_indexes(get_cluster(state), state.reading)


def list_queue_ends(state: System) -> tuple[tuple[int, int], ...]:
    """Offsets of the master's log, such as its queue's end, with the messages before each."""
    cluster, reading = get_cluster(state), state.reading
    shown = leave_out_blank(cluster, cluster.master.log.dispatched_offset)
    put = leave_out_blank(cluster, state.ghost_put_offset)
    return ((0, 0), (shown, reading.master.queue_max), (put, reading.put_below))


def find_slave_end(state: System) -> tuple[int, int]:
    """The log offset at which the slave's queue ends, and its number of messages."""
    cluster = get_cluster(state)
    cursor = cluster.slaves[THE_SLAVE].log.dispatched_offset
    return leave_out_blank(cluster, cursor), state.reading.copied_below


@lemma(why="Else a message's offset in a log does not determine its index in a queue.")
def indexes_grow_with_offsets(state: System) -> bool:
    """The further a broker's dispatch is in the log, the more messages its queue shows."""
    of_master = list_queue_ends(state)
    of_both = (*of_master, find_slave_end(state))
    is_ordered = implies(is_message_shared(state), is_growing(of_master))
    return is_ordered & implies(is_index_common(state), is_growing(of_both))


def is_growing(marks: tuple[tuple[int, int], ...]) -> bool:
    """No offset has a higher index than a larger or equal offset."""
    pairs = itertools.permutations(marks, 2)
    return all_of(*(implies(one[0] <= other[0], one[1] <= other[1]) for one, other in pairs))


@lemma(why="Else the followed message is shown before the dispatch reaches it, or left out.")
def followed_message_keeps_the_order(state: System) -> bool:
    """A queue is past the followed message exactly if its log's dispatch is."""
    put, index = state.message, state.reading.message.offset
    log = state.cluster.master.log
    own = ((put.end_offset - 1, index), (put.end_offset, index + 1))
    is_there = (index >= 0) & is_message_shared(state) & is_in_lineage(log, put)
    is_common = is_there & is_index_common(state)
    return implies(is_there, is_growing((*own, *list_queue_ends(state)))) & implies(
        is_common, is_growing((*own, find_slave_end(state)))
    )


@lemma(why="Else a truncated queue ends before it begins.")
def queues_begin_where_their_logs_do(state: System) -> bool:
    """Messages at or after the beginning of a log have indexes that its queue still contains."""
    put, index = state.message, state.reading.message.offset
    log, slave = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
    is_there = (index >= 0) & is_message_shared(state) & is_in_lineage(log, put)
    ends = list_queue_ends(state)
    master = state.reading.master
    is_so = is_beginning(log.start_offset, master.first_kept, ends)
    is_common, both = is_index_common(state), (*ends, find_slave_end(state))
    is_so_too = is_beginning(log.start_offset, master.first_kept, both)
    begin = find_slave_begin(state.reading)
    is_so_of_slave = is_beginning(slave.start_offset, begin, both)
    own = ((put.end_offset - 1, index), (put.end_offset, index + 1))
    is_own = is_beginning(log.start_offset, master.first_kept, own)
    is_own_of_slave = is_beginning(slave.start_offset, begin, own)
    return (
        implies(is_message_shared(state), is_so)
        & implies(is_common, is_so_too & is_so_of_slave)
        & implies(is_there, is_own)
        & implies(is_there & is_common, is_own_of_slave)
    )


def is_beginning(start: int, first: int, marks: tuple[tuple[int, int], ...]) -> bool:
    """No mark from ``start`` on has a lower index than ``first``."""
    return all_of(*(implies(start <= offset, first <= index) for offset, index in marks))


@lemma(why="Else an index is given twice.")
def queues_have_come_as_far_as_was_put(state: System) -> bool:
    """No queue is beyond the recorded offset of the master's log, or shows more than was put."""
    log, slave = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
    noted, put_below = state.ghost_put_offset, state.reading.put_below
    is_noted = (log.dispatched_offset <= noted) & (noted <= log.max_offset)
    is_shown = state.reading.master.queue_max <= put_below
    is_alike = (slave.dispatched_offset <= noted) & (state.reading.copied_below <= put_below)
    return is_noted & implies(
        is_message_shared(state), is_shown & implies(is_index_common(state), is_alike)
    )


@lemma(why="Else a running master does not show a message that its dispatch has reached.")
def dispatched_message_is_shown(state: System) -> bool:
    """A message that the master's dispatch, or its slave's, has reached has an index."""
    put, log = state.message, state.cluster.master.log
    is_there = is_message_shared(state) & is_written(put) & is_in_lineage(log, put)
    is_reached = is_there & (put.end_offset <= state.ghost_put_offset)
    return implies(is_reached, state.reading.message.offset >= 0)


def is_owed_yet(state: System) -> bool:
    """The master has the followed message, and retention has deleted it on no broker."""
    return state.reading.message.is_on_master & negate(state.message.ghost_is_expired)


def is_slave_in_place(state: System) -> bool:
    """Except for deleted ones, the slave has the messages that it shows whole and in place."""
    faults = state.reading.faults
    is_whole = (faults.torn_copies == 0) & (faults.missed_dispatches == 0)
    return is_powered(state.reading) & is_whole & are_logs_alike(state)


@lemma(why="Else a slave that deletes by its own clock leads a consumer past a message.")
def slave_deletes_what_has_expired(state: System) -> bool:
    """A slave that deletes before its master keeps each unexpired message."""
    message, slave = state.reading.message, state.reading.slave
    is_in_queue = slave.queue_min <= message.offset
    is_kept = slave.first_kept <= message.offset
    is_held = implies(message.offset < slave.queue_max, message.is_on_slave)
    is_left = is_slave_in_place(state) & is_owed_yet(state) & is_in_queue
    return implies(is_left, is_kept & is_held)


@lemma(why="Else a consumer skips an owed message that its slave has deleted.")
def nothing_owed_is_passed(state: System) -> bool:
    """A consumer has passed no owed, unexpired message, whichever broker deletes first.

    For groups that begin at the first message, without offset check in the slave.
    """
    reading = state.reading
    structure, message = reading.structure, reading.message
    if structure.is_offset_checked_in_slave or not structure.is_from_first:
        return True
    is_unmoved = is_master_in_step(reading) | is_read_from_slave_alone(reading)
    is_left = is_awaited(reading) & is_owed_yet(state)
    is_ahead = (reading.consumer.next_offset <= message.offset) | message.is_cached
    is_none_beyond = all_of(*(place <= message.offset for place in list_positions(reading)))
    return implies(is_slave_in_place(state) & is_unmoved & is_left, is_ahead & is_none_beyond)

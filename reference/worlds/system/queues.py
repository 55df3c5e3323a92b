"""What a step of the log does to the queues on both brokers.

A queue is what dispatch has built from a log: it ends where dispatch has arrived and begins where
the log does. The log determines a message's place in it only in part
(`reference.worlds.system.indexes`).
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from reference.language.operators import choose, maximum, minimum, negate
from reference.worlds.reading import brokers, queues
from reference.worlds.reading.queues import (
    compute_copied_end,
    compute_deletable_end,
    compute_deleted_end,
    compute_shown_end,
    is_followed_one_lost,
)
from reference.worlds.reading.state import MASTER, SLAVE, Reading
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.state import Cluster, CommitLog
from reference.worlds.system.indexes import (
    KnownIndex,
    choose_index,
    has_common_indexes,
    is_newly_shown,
    leave_out_blank,
    list_marks,
)
from reference.worlds.system.lifting import Moment
from reference.worlds.system.seen import ObservedStep
from reference.worlds.system.state import THE_SLAVE

Make = Callable[[Reading], ObservedStep]
"""Makes the step that readers observe, for the state in which they observe it."""


@frozen
class Open:
    """What a step leaves open about the number of messages that a queue shows."""

    marks: tuple[KnownIndex, ...]
    low: int
    """At least as many as it showed before."""
    is_new: bool
    """It shows the followed message for the first time."""
    wanted: int
    """The number that the step has chosen."""


def get_slave_log(cluster: Cluster) -> CommitLog:
    """The log of the only slave."""
    return cluster.slaves[THE_SLAVE].log


def show_on_master(moment: Moment, argument: str) -> Make:
    """The master's queue shows messages up to where its dispatch has arrived."""

    def make(reading: Reading) -> ObservedStep:
        log, shown = moment.after.master.log, reading.master.queue_max
        is_new = is_newly_shown(moment.after, log, reading)
        marks = list_marks(moment.before, moment.before.master.log, reading, moment.put_offset)
        wanted = moment.arguments[argument]
        end = compute_end(moment, log, Open(marks, shown, is_new, wanted))
        chosen = {"queue_max": end, "is_followed": choose(is_new, 1, 0)}
        return ObservedStep(shown < end, queues.put_messages, (), chosen)

    return make


def compute_end(moment: Moment, log: CommitLog, open_: Open) -> int:
    """The index up to which a queue shows messages after a step.

    A followed message without an index gets one, and is the last message shown.
    """
    (put,) = moment.after.messages
    wanted = maximum(open_.wanted, open_.low)
    index = choose_index(put.end_offset - 1, open_.marks, wanted)
    cursor = leave_out_blank(moment.before, log.dispatched_offset)
    end = choose_index(cursor, open_.marks, wanted)
    return choose(open_.is_new, index + 1, end)


def resume(_moment: Moment) -> Make:
    """A slave that counted as stuck continues."""
    return lambda reading: ObservedStep(negate(reading.is_copying), brokers.resume_copying)


def compute_slave_index(moment: Moment, reading: Reading, offset: int, argument: str) -> int:
    """How many messages of the queue lie before an offset of the slave's log."""
    log = get_slave_log(moment.before)
    marks = list_marks(moment.before, log, reading, moment.put_offset)
    wanted = maximum(moment.arguments[argument], reading.copied_below)
    return choose_index(leave_out_blank(moment.before, offset), marks, wanted)


def join_late(moment: Moment) -> Make:
    """The slave's queue begins with a later file than its master's."""

    def make(reading: Reading) -> ObservedStep:
        start, below = get_slave_log(moment.after).start_offset, reading.copied_below
        is_late = get_slave_log(moment.before).dispatched_offset < start
        first = compute_slave_index(moment, reading, start, "first_index")
        is_free = has_common_indexes(moment.after, reading) & negate(reading.master.is_up)
        known = minimum(reading.master.queue_max, reading.put_below)
        first = choose(is_free, first, minimum(first, known))
        is_first = is_late & (reading.slave.queue_max == 0) & (below < first)
        return ObservedStep(is_first, brokers.join_late, (), {"first": first})

    return make


def is_new_on_slave(moment: Moment, reading: Reading) -> bool:
    """The slave's queue is the first to show the followed message, which the master has."""
    has_it = has_message(moment.after.master.log, moment.after.messages[0])
    is_new = is_newly_shown(moment.after, get_slave_log(moment.after), reading)
    return is_new & has_it & has_common_indexes(moment.after, reading)


def compute_slave_end(moment: Moment, reading: Reading) -> int:
    """The index up to which the slave's queue shows messages."""
    log, is_new = get_slave_log(moment.before), is_new_on_slave(moment, reading)
    marks = list_marks(moment.before, log, reading, moment.put_offset)
    left = Open(marks, reading.copied_below, is_new, moment.arguments["index"])
    return compute_end(moment, get_slave_log(moment.after), left)


def show_copies(moment: Moment) -> Make:
    """The slave's queue shows messages that its master's shows, or once showed."""

    def make(reading: Reading) -> ObservedStep:
        end = minimum(compute_slave_end(moment, reading), compute_copied_end(reading))
        has_it = has_message(get_slave_log(moment.after), moment.after.messages[0])
        is_lost_one = has_it & is_followed_one_lost(reading)
        chosen = {"queue_max": end, "is_lost_one": choose(is_lost_one, 1, 0)}
        return ObservedStep(reading.copied_below < end, queues.replicate_messages, (), chosen)

    return make


def show_ahead(moment: Moment, *, is_master_up: bool) -> Make:
    """The slave's queue shows messages that its master's does not, while the master runs or not."""
    rule = queues.show_before_master if is_master_up else queues.show_without_master

    def make(reading: Reading) -> ObservedStep:
        end = compute_slave_end(moment, reading)
        is_later = compute_shown_end(reading) < end
        is_ahead = is_later & has_common_indexes(moment.after, reading)
        is_so = reading.master.is_up if is_master_up else negate(reading.master.is_up)
        is_followed = choose(is_new_on_slave(moment, reading), 1, 0)
        return ObservedStep(
            is_ahead & is_so, rule, (), {"queue_max": end, "is_followed": is_followed}
        )

    return make


def damage(moment: Moment) -> Make:
    """The slave's queue has the followed message, but its log only part of it."""

    def make(reading: Reading) -> ObservedStep:
        is_torn = negate(has_message(get_slave_log(moment.after), moment.after.messages[0]))
        return ObservedStep(reading.message.is_on_slave & is_torn, brokers.damage_copy)

    return make


def show_on_slave(moment: Moment) -> tuple[Make, ...]:
    """The slave's queue shows messages up to where its dispatch has arrived."""
    return (
        resume(moment),
        join_late(moment),
        show_copies(moment),
        show_ahead(moment, is_master_up=False),
        show_ahead(moment, is_master_up=True),
        damage(moment),
    )


def miss_on_slave(moment: Moment) -> Make:
    """The slave's dispatch continues, but its queue misses the messages that it reaches."""

    def make(reading: Reading) -> ObservedStep:
        end = minimum(compute_slave_end(moment, reading), reading.master.queue_max)
        return ObservedStep(
            reading.copied_below < end, brokers.miss_messages, (), {"copied_below": end}
        )

    return make


def lose_on_master(moment: Moment) -> Make:
    """The master's queue loses the messages that its log has lost."""

    def make(reading: Reading) -> ObservedStep:
        before, after = moment.before.master.log, moment.after.master.log
        highest = maximum(reading.master.queue_max, reading.put_below)
        has_it = has_message(after, moment.after.messages[0])
        marks = list_marks(moment.before, before, reading, moment.put_offset)
        end = leave_out_blank(moment.before, minimum(after.max_offset, moment.put_offset))
        within = maximum(minimum(moment.arguments["index"], highest), reading.master.queue_min)
        kept = minimum(choose_index(end, marks, within), highest)
        kept = maximum(kept, reading.master.queue_min)
        is_torn = reading.message.is_on_master & negate(has_it) & (reading.message.offset < kept)
        chosen = {
            "kept_below": kept,
            "is_file_lost": moment.arguments["is_file_lost"],
            "is_message_torn": choose(is_torn, 1, 0),
        }
        return ObservedStep(True, brokers.lose_master_power, (), chosen)

    return make


def lose_on_slave(moment: Moment, *, is_power_loss: bool) -> tuple[Make, ...]:
    """The slave's queue loses what its log has lost; its progress file only with its power."""

    def make(reading: Reading) -> ObservedStep:
        before, after = get_slave_log(moment.before), get_slave_log(moment.after)
        slave, below = reading.slave, reading.copied_below
        missed = below - slave.queue_max
        marks = list_marks(moment.before, before, reading, moment.put_offset)
        wanted = maximum(minimum(moment.arguments["kept_index"], below), slave.queue_min + missed)
        end = leave_out_blank(moment.before, after.dispatched_offset)
        kept = choose_index(end, marks, wanted) - missed
        kept = minimum(maximum(kept, slave.queue_min), slave.queue_max)
        is_cut = after.dispatched_offset < before.dispatched_offset
        has_any = (slave.queue_max > 0) | (below > 0)
        is_emptied = (after.max_offset == 0) & has_any
        chosen = {
            "kept_queue_max": choose(is_cut, kept, slave.queue_max),
            "is_file_lost": moment.arguments["is_file_lost"] if is_power_loss else 0,
            "is_all_lost": choose(is_emptied, 1, 0),
        }
        is_taken = is_cut | is_emptied | is_power_loss
        return ObservedStep(is_taken, brokers.lose_slave_power, (), chosen)

    return (make, damage(moment))


def begin_master_at(moment: Moment) -> tuple[Make, ...]:
    """The master's log begins later: copied messages are gone, and perhaps uncopied ones."""

    def compute_first(reading: Reading) -> int:
        cluster, log = moment.after, moment.before.master.log
        shown, start = reading.master.queue_max, cluster.master.log.start_offset
        marks = (
            *list_marks(moment.before, log, reading, moment.put_offset),
            KnownIndex(True, leave_out_blank(moment.before, log.dispatched_offset), shown),
        )
        wanted = maximum(moment.arguments["index"], reading.master.first_kept)
        return choose_index(leave_out_blank(moment.before, start), marks, wanted)

    def expire(reading: Reading) -> ObservedStep:
        first = minimum(compute_first(reading), compute_deletable_end(reading))
        is_later = reading.master.first_kept < first
        return ObservedStep(is_later, queues.expire_messages, (MASTER,), {"first_kept": first})

    def overtake(reading: Reading) -> ObservedStep:
        first = compute_first(reading)
        is_later = maximum(compute_deletable_end(reading), reading.master.first_kept) < first
        return ObservedStep(is_later, brokers.overtake_copying, (), {"first_kept": first})

    return (expire, overtake)


def keep_followed_message(moment: Moment, reading: Reading, wanted: int) -> int:
    """Where a slave's queue may begin to lead to messages, given the followed one."""
    message, (put,) = reading.message, moment.after.messages
    is_behind = put.end_offset <= get_slave_log(moment.after).start_offset
    is_gone, is_left = message.is_on_slave & is_behind, message.is_on_slave & negate(is_behind)
    last = choose(is_left, minimum(wanted, message.slave_offset), wanted)
    return choose(is_gone, maximum(last, message.slave_offset + 1), last)


def begin_slave_at(moment: Moment) -> tuple[Make, ...]:
    """The slave's log begins later: its master has deleted these messages too, or not yet."""

    def compute_first(reading: Reading) -> int:
        cluster, log = moment.after, get_slave_log(moment.before)
        shown, start = reading.slave.queue_max, get_slave_log(cluster).start_offset
        wanted = maximum(minimum(moment.arguments["index"], shown), reading.slave.first_kept)
        is_end = log.dispatched_offset == start
        wanted = choose(is_end, shown, wanted)
        is_common = has_common_indexes(cluster, reading)
        marks = list_marks(moment.before, log, reading, moment.put_offset)
        known = choose_index(leave_out_blank(moment.before, start), marks, wanted)
        is_gone = is_common & (start <= cluster.master.log.start_offset)
        known = choose(is_gone, minimum(known, reading.master.first_kept), known)
        free = keep_followed_message(moment, reading, wanted)
        return minimum(choose(is_common, known, free), shown)

    def expire(reading: Reading) -> ObservedStep:
        first = minimum(compute_first(reading), compute_deleted_end(reading))
        is_later = reading.slave.first_kept < first
        return ObservedStep(is_later, queues.expire_messages, (SLAVE,), {"first_kept": first})

    def delete_first(reading: Reading) -> ObservedStep:
        first = compute_first(reading)
        is_later = maximum(compute_deleted_end(reading), reading.slave.first_kept) < first
        return ObservedStep(is_later, brokers.delete_first, (), {"first_kept": first})

    return (expire, delete_first)


def is_retention_behind(log: CommitLog, start: int) -> bool:
    """A broker has long dispatched the messages that it deletes: no dispatch lags that far."""
    return start <= log.dispatched_offset

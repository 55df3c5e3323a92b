"""The state that a consumer and its brokers reach once faults stop.

*Once faults stop* (quiescence) means: both brokers and the consumer run and know each other; no
fault happens; nothing is put or deleted, and the master's queue shows every put message. A step
without effect does not count: a consumer whose repeated pulls change nothing is at rest.
"""

from __future__ import annotations

from properties.language.healing import Healing, is_moving
from properties.language.property import convergence
from reference.language.machine import compute_machine
from reference.language.operators import (
    all_of,
    any_of,
    choose,
    count_true,
    implies,
    maximum,
    negate,
)
from reference.worlds.reading.queues import compute_copied_end
from reference.worlds.reading.rebalancing import compute_beginning
from reference.worlds.reading.state import MASTER, SLAVE, Reading
from reference.worlds.reading.structure import ReadingStructure

HEALING_STEPS = (
    "replicate_messages",
    "correct_queue_min",
    "pull_messages",
    "pull_nothing",
    "hand_over",
    "finish_message",
    "finish_first",
    "finish_later",
    "take_queue",
    "correct_progress",
    "send_progress",
    "persist_progress",
    "synchronise_progress",
)
"""The steps that continue in quiescence."""


RECOVERY = (
    "start_broker",
    "list_master",
    "list_slave",
    "learn_master",
    "refresh_route",
    "start_consumer",
)
"""The steps by which brokers and the consumer come back and are known again."""


def is_quiescent(state: Reading) -> bool:
    """Brokers and consumer run and know each other; the master's queue shows every put message."""
    routes = state.routes
    return all_of(
        *(state.master.is_up, state.slave.is_up, state.consumer.is_running),
        *(routes.is_master_listed, routes.is_slave_listed, routes.is_master_known),
        *(routes.is_master_seen, routes.is_slave_seen),
        state.put_below <= state.master.queue_max,
    )


def is_at_rest(state: Reading) -> bool:
    """Quiescence, and no healing step is possible."""
    instances = compute_machine(state.structure).instances.values()
    moving = (is_moving(each, state) for each in instances if each.rule.name in HEALING_STEPS)
    return is_quiescent(state) & negate(any_of(*moving))


@convergence(
    why="An operator who waits for a backlog to be consumed must know that it ever is.",
    premise=is_at_rest,
)
def consumers_drain(state: Reading) -> bool:
    """Once faults stop, a consumer at rest has consumed everything up to its master's end."""
    consumer, end = state.consumer, state.master.queue_max
    is_drained = (consumer.next_offset == end) & (consumer.cache_first < 0)
    return implies(is_at_rest(state), is_drained)


@convergence(
    why="Then it does not matter which broker a starting consumer asks.",
    premise=is_at_rest,
)
def progress_reaches_both_brokers(state: Reading) -> bool:
    """At rest after faults stop, both brokers have the progress in memory and on disk."""
    tables = (
        *(state.master.progress, state.master.progress_on_disk),
        *(state.slave.progress, state.slave.progress_on_disk),
    )
    is_reached = all_of(*(progress == state.consumer.progress for progress in tables))
    return implies(is_at_rest(state), is_reached)


def compute_position(state: Reading) -> int:
    """The offset of the consumer's next pull, or of its first one once it has a queue again."""
    consumer = state.consumer
    waiting = choose(consumer.corrected >= 0, consumer.corrected, compute_beginning(state))
    return choose(consumer.next_offset >= 0, consumer.next_offset, waiting)


def count_missing_messages(state: Reading) -> int:
    """The number of messages by which the slave is behind."""
    return maximum(0, compute_copied_end(state) - state.copied_below)


def count_uncorrected_queues(state: Reading) -> int:
    """The number of queues that begin with entries whose messages are gone."""
    return count_true(*(b.queue_min < b.first_kept for b in state.brokers))


def count_consumers_outside(state: Reading) -> int:
    """1 while the consumer is at an offset that its broker will correct."""
    position, is_checked = compute_position(state), state.structure.is_offset_checked_in_slave
    is_outside = [(position < b.queue_min) | (b.queue_max < position) for b in state.brokers]
    is_at_slave = state.consumer.suggested_id == SLAVE
    return count_true(choose(is_at_slave, is_outside[SLAVE] & is_checked, is_outside[MASTER]))


def count_messages_to_pull(state: Reading) -> int:
    """The number of messages ahead of the consumer on the broker that it pulls from."""
    is_at_slave = state.consumer.suggested_id == SLAVE
    end = choose(is_at_slave, state.slave.queue_max, state.master.queue_max)
    return maximum(0, end - compute_position(state))


def count_steps_to_the_queue(state: Reading) -> int:
    """2 for a consumer that was moved, 1 for one without a queue."""
    consumer = state.consumer
    is_without = count_true(consumer.next_offset < 0)
    return is_without + count_true(consumer.corrected >= 0)


def count_unfinished_messages(state: Reading) -> int:
    """The span of the cached messages."""
    consumer = state.consumer
    span = consumer.cache_end - consumer.cache_first
    return choose(consumer.cache_first < 0, 0, span)


def count_steps_of_message(state: Reading) -> int:
    """2 before the followed message is handed over, 1 before it is finished."""
    message = state.message
    return count_true(message.is_cached) + count_true(
        message.is_cached & negate(message.is_consuming)
    )


def count_lagging_progress(state: Reading) -> int:
    """1 while progress in memory lags behind the first message that is not done, or the pull."""
    consumer = state.consumer
    is_empty = consumer.cache_first < 0
    is_behind = consumer.progress < choose(is_empty, consumer.next_offset, consumer.cache_first)
    return count_true(is_behind)


def count_other_suggestions(state: Reading) -> int:
    """1 while the suggested broker is not the one at which the consumer ends."""
    structure = state.structure
    end = SLAVE if structure.is_slave_open and structure.broker_id == SLAVE else MASTER
    return count_true(negate(state.consumer.suggested_id == end))


def count_unsent_progress(state: Reading) -> int:
    """1 while the master does not have the progress that the consumer would send."""
    consumer = state.consumer
    is_taken = (state.master.progress == consumer.progress) & (
        consumer.ghost_stored == consumer.progress
    )
    return count_true(negate(is_taken))


def count_stale_file_of_master(state: Reading) -> int:
    """1 while the master's file is older than its table."""
    return count_true(negate(state.master.progress_on_disk == state.master.progress))


def count_stale_table_of_slave(state: Reading) -> int:
    """1 while the slave's table is not its master's."""
    return count_true(negate(state.slave.progress == state.master.progress))


def count_stale_file_of_slave(state: Reading) -> int:
    """1 while the slave's file is older than its table."""
    return count_true(negate(state.slave.progress_on_disk == state.slave.progress))


RANK = (
    count_missing_messages,
    count_uncorrected_queues,
    count_other_suggestions,
    count_consumers_outside,
    count_messages_to_pull,
    count_steps_to_the_queue,
    count_unfinished_messages,
    count_steps_of_message,
    count_lagging_progress,
    count_unsent_progress,
    count_stale_file_of_master,
    count_stale_table_of_slave,
    count_stale_file_of_slave,
)
"""The numbers of the rank, the weightiest first."""


def list_endless(structure: ReadingStructure) -> tuple[str, ...]:
    """The steps that are known to repeat forever in certain states.

    A master that sends slow consumers to a slave may get each of them back. A slave that lags and
    checks offsets sends them back. A slave ahead of a master that lost messages gives them messages
    beyond the master's end. A master that sends all consumers to a slave that is closed for reads
    gets them back at once, with or without messages.
    """
    if not structure.is_master_open:
        return ()
    if structure.broker_id == MASTER:
        return ("pull_messages[0]",)
    return () if structure.is_slave_open else ("pull_messages[0]", "pull_nothing[0]")


def get_healing(structure: ReadingStructure) -> Healing:
    """How a consumer and its brokers come to rest."""
    return Healing(
        HEALING_STEPS,
        RANK,
        is_quiescent,
        is_idling_left_out=True,
        endless=list_endless(structure),
        recovery=RECOVERY,
    )

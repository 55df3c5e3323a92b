"""What a consumer and its brokers come to when they are left in peace.

In peace means: both brokers and the consumer run, everybody knows everybody, nothing strikes,
nothing is put, deleted or left to be shown by the master. A step that changes nothing is none: who
pulls again and again without an answer that changes anything is at rest.
"""

from __future__ import annotations

from properties.healing import Healing, is_moving
from properties.property import convergence
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
"""What goes on."""


RECOVERY = (
    "start_broker",
    "list_master",
    "list_slave",
    "learn_master",
    "refresh_route",
    "start_consumer",
)
"""How everybody comes back and is known again."""


def is_quiescent(state: Reading) -> bool:
    """Everybody runs, and knows everybody; the master's queue shows all that was put."""
    routes = state.routes
    return all_of(
        *(state.master.is_up, state.slave.is_up, state.consumer.is_running),
        *(routes.is_master_listed, routes.is_slave_listed, routes.is_master_known),
        *(routes.is_master_seen, routes.is_slave_seen),
        state.put_below <= state.master.queue_max,
    )


def is_at_rest(state: Reading) -> bool:
    """Peace, and nothing goes on any more."""
    instances = compute_machine(state.structure).instances.values()
    moving = (is_moving(each, state) for each in instances if each.rule.name in HEALING_STEPS)
    return is_quiescent(state) & negate(any_of(*moving))


@convergence(
    why="Whoever waits for a backlog to be worked off wants to know that it ever is.",
    premise=is_at_rest,
)
def consumers_drain(state: Reading) -> bool:
    """Left in peace, a consumer that comes to rest has consumed all up to its master's end."""
    consumer, end = state.consumer, state.master.queue_max
    is_drained = (consumer.next_offset == end) & (consumer.cache_first < 0)
    return implies(is_at_rest(state), is_drained)


@convergence(
    why="Only then does it not matter which broker is asked when a consumer starts.",
    premise=is_at_rest,
)
def progress_reaches_both_brokers(state: Reading) -> bool:
    """In peace and at rest both brokers have the consumer's progress, in memory and on disk."""
    tables = (
        *(state.master.progress, state.master.progress_on_disk),
        *(state.slave.progress, state.slave.progress_on_disk),
    )
    is_reached = all_of(*(progress == state.consumer.progress for progress in tables))
    return implies(is_at_rest(state), is_reached)


def compute_position(state: Reading) -> int:
    """Where the consumer pulls next, also once it will have a queue again."""
    consumer = state.consumer
    waiting = choose(consumer.corrected >= 0, consumer.corrected, compute_beginning(state))
    return choose(consumer.next_offset >= 0, consumer.next_offset, waiting)


def count_missing_messages(state: Reading) -> int:
    """By how many messages the slave is behind."""
    return maximum(0, compute_copied_end(state) - state.copied_below)


def count_uncorrected_queues(state: Reading) -> int:
    """How many queues begin with entries whose messages are gone."""
    return count_true(*(b.queue_min < b.first_kept for b in state.brokers))


def count_consumers_outside(state: Reading) -> int:
    """1 while the consumer stands where the broker that it pulls from moves it away."""
    position, is_checked = compute_position(state), state.structure.is_offset_checked_in_slave
    is_outside = [(position < b.queue_min) | (b.queue_max < position) for b in state.brokers]
    is_at_slave = state.consumer.suggested_id == SLAVE
    return count_true(choose(is_at_slave, is_outside[SLAVE] & is_checked, is_outside[MASTER]))


def count_messages_to_pull(state: Reading) -> int:
    """What lies before the consumer on the broker that it pulls from."""
    is_at_slave = state.consumer.suggested_id == SLAVE
    end = choose(is_at_slave, state.slave.queue_max, state.master.queue_max)
    return maximum(0, end - compute_position(state))


def count_steps_to_the_queue(state: Reading) -> int:
    """2 for a consumer that was moved, 1 for one without a queue."""
    consumer = state.consumer
    is_without = count_true(consumer.next_offset < 0)
    return is_without + count_true(consumer.corrected >= 0)


def count_unfinished_messages(state: Reading) -> int:
    """What is cached, by its span."""
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
    """1 while the consumer is not sent where it ends up."""
    structure = state.structure
    end = SLAVE if structure.is_slave_open and structure.broker_id == SLAVE else MASTER
    return count_true(negate(state.consumer.suggested_id == end))


def count_unsent_progress(state: Reading) -> int:
    """1 while the master does not have what the consumer would send."""
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
    """The steps that are known to go on for ever in certain states.

    A master that sends slow consumers to a slave may get them back as often: a slave that lags and
    checks offsets sends them back; one that is ahead of a master which lost messages feeds them
    what the master then says is beyond its end. A master that sends all consumers to a slave which
    is closed for reads gets them back at once, with or without messages.
    """
    if not structure.is_master_open:
        return ()
    if structure.broker_id == MASTER:
        return ("pull_messages[0]",)
    return () if structure.is_slave_open else ("pull_messages[0]", "pull_nothing[0]")


def get_healing(structure: ReadingStructure) -> Healing:
    """How it comes to rest."""
    return Healing(
        HEALING_STEPS,
        RANK,
        is_quiescent,
        is_idling_left_out=True,
        endless=list_endless(structure),
        recovery=RECOVERY,
    )

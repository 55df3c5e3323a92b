"""What a consumer and its brokers come to when they are left in peace.

In peace means: both brokers and the consumer run, everybody knows everybody, nothing strikes,
nothing is put and nothing expires. A step that changes nothing is none.
"""

from __future__ import annotations

from properties.healing import Healing, is_moving
from properties.property import convergence
from reference.language.machine import compute_machine
from reference.language.operators import all_of, any_of, count_true, implies, maximum, negate
from reference.worlds.consumption.consumer import is_outside
from reference.worlds.consumption.state import Consumption
from reference.worlds.consumption.structure import ConsumptionStructure

HEALING_STEPS = (
    "replicate_messages",
    "begin_at_stored_progress",
    "begin_at_zero",
    "begin_at_end",
    "read_from_master",
    "read_from_slave",
    "correct_by_master",
    "correct_by_slave",
    "send_progress_to_master",
    "persist_progress_of_master",
    "synchronise_progress",
    "persist_progress_of_slave",
)
"""What goes on."""


RECOVERY = (
    "start_master",
    "start_slave",
    "list_master",
    "list_slave",
    "learn_master",
    "refresh_route",
    "start_consumer",
)
"""How everybody comes back and is known again."""


def is_quiescent(state: Consumption) -> bool:
    """Everybody runs, and knows everybody."""
    routes = state.routes
    return all_of(
        *(state.master.is_up, state.slave.is_up, state.consumer.is_running),
        *(routes.is_master_listed, routes.is_slave_listed, routes.is_master_known),
        *(routes.is_master_seen, routes.is_slave_seen),
    )


def is_at_rest(state: Consumption) -> bool:
    """Peace, and nothing goes on any more."""
    instances = compute_machine(state.structure).instances
    moving = (is_moving(instances[n], state) for n in HEALING_STEPS if n in instances)
    return is_quiescent(state) & negate(any_of(*moving))


@convergence(
    why="Whoever waits for a backlog to be worked off wants to know that it ever is.",
    premise=is_at_rest,
)
def consumers_drain(state: Consumption) -> bool:
    """Left in peace, a consumer that comes to rest stands at the end of its master's queue."""
    return implies(is_at_rest(state), state.consumer.position == state.master.queue_max)


@convergence(
    why="Only then does it not matter which broker is asked when a consumer starts.",
    premise=is_at_rest,
)
def progress_reaches_both_brokers(state: Consumption) -> bool:
    """In peace and at rest both brokers have the consumer's progress, in memory and on disk."""
    tables = (
        *(state.master.progress, state.master.progress_on_disk),
        *(state.slave.progress, state.slave.progress_on_disk),
    )
    return implies(is_at_rest(state), all_of(*(t == state.consumer.position for t in tables)))


def count_missing_messages(state: Consumption) -> int:
    """By how many messages the slave is behind."""
    return maximum(0, state.master.queue_max - state.slave.queue_max)


def count_consumers_without_position(state: Consumption) -> int:
    """1 before the consumer has begun."""
    return count_true(state.consumer.position < 0)


def count_consumers_outside(state: Consumption) -> int:
    """1 while the consumer stands where the master has nothing."""
    return count_true(is_outside(state.master, state.consumer.position))


def count_messages_to_read(state: Consumption) -> int:
    """What lies before the consumer."""
    return maximum(0, state.master.queue_max - state.consumer.position)


def count_unsent_progress(state: Consumption) -> int:
    """1 while the master does not have what the consumer would send."""
    consumer = state.consumer
    is_taken = (state.master.progress == consumer.position) & (
        consumer.ghost_stored == consumer.position
    )
    return count_true(negate(is_taken))


def count_stale_files_of_master(state: Consumption) -> int:
    """1 while the master's file is older than its table."""
    return count_true(negate(state.master.progress_on_disk == state.master.progress))


def count_stale_tables_of_slave(state: Consumption) -> int:
    """1 while the slave's table is not its master's."""
    return count_true(negate(state.slave.progress == state.master.progress))


def count_stale_files_of_slave(state: Consumption) -> int:
    """1 while the slave's file is older than its table."""
    return count_true(negate(state.slave.progress_on_disk == state.slave.progress))


RANK = (
    count_missing_messages,
    count_consumers_without_position,
    count_consumers_outside,
    count_messages_to_read,
    count_unsent_progress,
    count_stale_files_of_master,
    count_stale_tables_of_slave,
    count_stale_files_of_slave,
)
"""The numbers of the rank, the weightiest first."""


def get_healing(structure: ConsumptionStructure) -> Healing:
    """How it comes to rest. A consumer that may read the slave can be sent to and fro for ever.

    By a slave that lags and checks offsets, as long as it lags; and by one that is ahead of a
    master which lost messages: it reads there what the master then says is beyond its end.
    """
    endless: tuple[str, ...] = ()
    if structure.is_slave_read:
        is_checked = structure.is_offset_checked_in_slave
        endless = ("read_from_slave", *(("correct_by_slave",) if is_checked else ()))
    return Healing(
        HEALING_STEPS,
        RANK,
        is_quiescent,
        is_idling_left_out=True,
        endless=endless,
        recovery=RECOVERY,
    )

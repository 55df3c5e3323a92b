"""What goes wrong in the world of consumption; each kind is counted."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, minimum
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.consumption.state import NO_PROGRESS, Consumption


@rule(who="fault", source="kill -9 of the consumer")
def kill_consumer(state: Consumption) -> RuleBody:
    """The consumer's process is gone; what it had not sent is forgotten."""
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        is_within_limit=is_within_limit(state, "consumer_kills"),
    )
    # EFFECT
    gone = evolve(state.consumer, is_running=False, position=NO_PROGRESS)
    killed: Consumption = count_fault(evolve(state, consumer=gone), "consumer_kills")
    return killed


@rule(who="fault", source="kill -9 of the master")
def kill_master(state: Consumption) -> RuleBody:
    """The master's process is gone; its table in memory is, too (R-CO-07)."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up, is_within_limit=is_within_limit(state, "master_kills")
    )
    # EFFECT
    master = evolve(state.master, is_up=False)
    killed: Consumption = count_fault(evolve(state, master=master), "master_kills")
    return killed


@rule(who="fault", source="power loss of the master's machine")
def lose_master_power(state: Consumption) -> RuleBody:
    """The master loses its last messages, and perhaps its file of progress, which is never forced.

    What the group has consumed of the lost messages, it has to consume anew when others take their
    place.
    """
    master, consumer = state.master, state.consumer
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up, is_within_limit=is_within_limit(state, "master_power_losses")
    )
    kept = yield between("kept_queue_max", master.queue_min, master.queue_max)
    is_file_lost = yield between("is_file_lost", 0, 1)
    # EFFECT
    on_disk = choose(is_file_lost == 1, NO_PROGRESS, master.progress_on_disk)
    is_read = kept < consumer.ghost_read_below
    lost = evolve(
        state,
        master=evolve(master, is_up=False, queue_max=kept, progress_on_disk=on_disk),
        consumer=evolve(
            consumer,
            ghost_consumed_below=minimum(consumer.ghost_consumed_below, kept),
            ghost_read_below=minimum(consumer.ghost_read_below, kept),
            ghost_has_read_lost=consumer.ghost_has_read_lost | is_read,
        ),
        ghost_same_below=minimum(state.ghost_same_below, kept),
    )
    counted: Consumption = count_fault(lost, "master_power_losses")
    return counted


@rule(who="fault", source="kill -9 of the slave")
def kill_slave(state: Consumption) -> RuleBody:
    """The slave's process is gone, with its table in memory and the master's address."""
    # ENABLED WHEN
    yield when(is_slave_up=state.slave.is_up, is_within_limit=is_within_limit(state, "slave_kills"))
    # EFFECT
    slave, routes = evolve(state.slave, is_up=False), evolve(state.routes, is_master_known=False)
    killed: Consumption = count_fault(evolve(state, slave=slave, routes=routes), "slave_kills")
    return killed


@rule(who="fault", source="RouteInfoManager#scanNotActiveBroker")
def part_master_from_name_server(state: Consumption) -> RuleBody:
    """The name server has not heard of the master for two minutes, and drops it though it runs."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up,
        is_listed=state.routes.is_master_listed,
        is_within_limit=is_within_limit(state, "partitions"),
    )
    # EFFECT
    routes = evolve(state.routes, is_master_listed=False)
    parted: Consumption = count_fault(evolve(state, routes=routes), "partitions")
    return parted


@rule(who="fault", source="ConsumerOffsetManager#commitOffset (one-way, out of order)")
def deliver_stale_commit(state: Consumption) -> RuleBody:
    """A commit that was sent earlier arrives at the master after a newer one."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up, is_within_limit=is_within_limit(state, "stale_commits")
    )
    progress = yield between("progress", 0, state.master.progress)
    # EFFECT
    late = evolve(state, master=evolve(state.master, progress=progress))
    delivered: Consumption = count_fault(late, "stale_commits")
    return delivered

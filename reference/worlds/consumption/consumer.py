"""The consumer: it begins, reads one message after another, is corrected, and stops."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose, maximum, negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.consumption.progress import is_positioned
from reference.worlds.consumption.routes import see_what_is_listed
from reference.worlds.consumption.state import NO_PROGRESS, Broker, Consumption


def is_slave_asked(state: Consumption) -> bool:
    """The consumer may pull from the slave: sent there, or because its route has no master."""
    routes = state.routes
    may_be_sent = state.structure.is_slave_read | negate(routes.is_master_seen)
    return routes.is_slave_seen & may_be_sent


def has_message_at(broker: Broker, position: int) -> bool:
    """The broker's queue holds the message at this position."""
    return (broker.queue_min <= position) & (position < broker.queue_max)


def consume_next(state: Consumption, is_masters_message: bool) -> Consumption:
    """The consumer has consumed the message at its position, and stands behind it."""
    consumer = state.consumer
    is_next = is_masters_message & (consumer.position == consumer.ghost_consumed_below)
    is_again = is_masters_message & (consumer.position < consumer.ghost_read_below)
    read_below = maximum(consumer.ghost_read_below, consumer.position + 1)
    after = evolve(
        consumer,
        position=consumer.position + 1,
        ghost_consumed_below=consumer.ghost_consumed_below + choose(is_next, 1, 0),
        ghost_read_below=choose(is_masters_message, read_below, consumer.ghost_read_below),
        ghost_has_reread=consumer.ghost_has_reread | is_again,
    )
    return evolve(state, consumer=after)


@rule(who="consumer", source="PullAPIWrapper#pullKernelImpl, ProcessQueue#removeMessage")
def read_from_master(state: Consumption) -> RuleBody:
    """The consumer pulls the next message from the master and consumes it."""
    # ENABLED WHEN
    yield when(
        is_positioned=is_positioned(state),
        is_master_seen=state.routes.is_master_seen,
        is_master_up=state.master.is_up,
        has_message=has_message_at(state.master, state.consumer.position),
    )
    # EFFECT
    return consume_next(state, is_masters_message=True)


@rule(who="consumer", source="PullAPIWrapper#pullKernelImpl, ProcessQueue#removeMessage")
def read_from_slave(state: Consumption) -> RuleBody:
    """The consumer pulls from the slave; whether the message is the master's, it cannot see."""
    # ENABLED WHEN
    yield when(
        is_positioned=is_positioned(state),
        is_slave_asked=is_slave_asked(state),
        is_slave_up=state.slave.is_up,
        has_message=has_message_at(state.slave, state.consumer.position),
    )
    # EFFECT
    return consume_next(state, state.consumer.position < state.ghost_same_below)


def is_outside(broker: Broker, position: int) -> bool:
    """The position is below the queue or beyond its end."""
    return (position < broker.queue_min) | (broker.queue_max < position)


def compute_correction(broker: Broker, position: int) -> int:
    """Where a broker sends a consumer whose position it does not have (R-GM-02)."""
    reset = choose(broker.queue_min == 0, 0, broker.queue_max)
    return choose(position < broker.queue_min, broker.queue_min, reset)


def move_to(state: Consumption, position: int) -> Consumption:
    """The consumer at another position."""
    return evolve(state, consumer=evolve(state.consumer, position=position))


@rule(who="master", source="DefaultMQPushConsumerImpl#pullMessage (OFFSET_ILLEGAL)")
def correct_by_master(state: Consumption) -> RuleBody:
    """The master moves a consumer that asks for what is gone, or for what is not there yet."""
    position = state.consumer.position
    # ENABLED WHEN
    yield when(
        is_positioned=is_positioned(state),
        is_master_seen=state.routes.is_master_seen,
        is_master_up=state.master.is_up,
        is_outside=is_outside(state.master, position),
    )
    # EFFECT
    return move_to(state, compute_correction(state.master, position))


@rule(who="slave", source="DefaultMQPushConsumerImpl#pullMessage (OFFSET_ILLEGAL)")
def correct_by_slave(state: Consumption) -> RuleBody:
    """A slave that checks offsets moves a consumer too; it may only lag (R-GM-03, R-PM-05)."""
    position = state.consumer.position
    # ENABLED WHEN
    yield when(
        is_offset_checked=state.structure.is_offset_checked_in_slave,
        is_positioned=is_positioned(state),
        is_slave_asked=is_slave_asked(state),
        is_slave_up=state.slave.is_up,
        is_outside=is_outside(state.slave, position),
    )
    # EFFECT
    return move_to(state, compute_correction(state.slave, position))


def begin_at(state: Consumption, position: int) -> Consumption:
    """The consumer with its first position since its start; the group's first one owes nothing."""
    consumer = state.consumer
    is_back = consumer.ghost_has_begun & (position < consumer.ghost_stored)
    owed_from = maximum(consumer.ghost_consumed_below, position)
    below = choose(consumer.ghost_has_begun, consumer.ghost_consumed_below, owed_from)
    begun = evolve(
        consumer,
        position=position,
        ghost_has_begun=True,
        ghost_consumed_below=below,
        ghost_has_moved_back=consumer.ghost_has_moved_back | is_back,
    )
    return evolve(state, consumer=begun)


def is_asking_for_position(state: Consumption) -> bool:
    """The consumer runs, and does not know yet where to begin."""
    return state.consumer.is_running & (state.consumer.position < 0)


def is_master_asked(state: Consumption) -> bool:
    """It asks the master, which its route has, and which runs."""
    return state.routes.is_master_seen & state.master.is_up


def is_slave_asked_instead(state: Consumption) -> bool:
    """It asks the slave, because its route has no master (R-CC-02)."""
    routes = state.routes
    return negate(routes.is_master_seen) & routes.is_slave_seen & state.slave.is_up


def compute_asked(state: Consumption) -> Broker:
    """The broker that answers a question for progress, where one does."""
    master, slave, is_master = state.master, state.slave, state.routes.is_master_seen
    return Broker(
        queue_min=choose(is_master, master.queue_min, slave.queue_min),
        queue_max=choose(is_master, master.queue_max, slave.queue_max),
        progress=choose(is_master, master.progress, slave.progress),
    )


@rule(who="operator", source="DefaultMQPushConsumerImpl#start")
def start_consumer(state: Consumption) -> RuleBody:
    """The consumer's process starts; it fetches the route at once."""
    routes = state.routes
    # ENABLED WHEN
    yield when(
        is_not_running=negate(state.consumer.is_running),
        is_any_listed=routes.is_master_listed | routes.is_slave_listed,
    )
    # EFFECT
    started = evolve(state.consumer, is_running=True)
    return evolve(state, routes=see_what_is_listed(routes), consumer=started)


@rule(who="consumer", source="RebalancePushImpl#computePullFromWhere")
def begin_at_stored_progress(state: Consumption) -> RuleBody:
    """The consumer begins where a broker's table says (R-CC-15)."""
    asked = compute_asked(state)
    # ENABLED WHEN
    yield when(
        is_asking=is_asking_for_position(state),
        is_answered=is_master_asked(state) | is_slave_asked_instead(state),
        has_entry=asked.progress >= 0,
    )
    # EFFECT
    return begin_at(state, asked.progress)


@rule(who="consumer", source="ConsumerManageProcessor#queryConsumerOffset")
def begin_at_zero(state: Consumption) -> RuleBody:
    """Without an entry, a queue with its first message in memory is begun at 0 (R-CO-05)."""
    asked = compute_asked(state)
    # ENABLED WHEN
    yield when(
        is_asking=is_asking_for_position(state),
        is_answered=is_master_asked(state) | is_slave_asked_instead(state),
        has_no_entry=asked.progress < 0,
        is_queue_young=asked.queue_min == 0,
    )
    # EFFECT
    return begin_at(state, 0)


@rule(who="consumer", source="RebalancePushImpl#computePullFromWhere (LAST_OFFSET)")
def begin_at_end(state: Consumption) -> RuleBody:
    """Without an entry, an older queue is begun at its end; only a master tells that (R-CC-15).

    A queue counts as older when its first message is gone, or no longer in memory.
    """
    asked = compute_asked(state)
    # ENABLED WHEN
    yield when(
        is_asking=is_asking_for_position(state),
        is_master_asked=is_master_asked(state),
        has_no_entry=asked.progress < 0,
        has_messages=asked.queue_max > 0,
    )
    # EFFECT
    return begin_at(state, asked.queue_max)


@rule(who="operator", source="DefaultMQPushConsumerImpl#shutdown", weight=4)
def stop_consumer(state: Consumption) -> RuleBody:
    """The consumer stops in order, after the broker that it prefers has taken its progress."""
    consumer = state.consumer
    has_asked = is_master_asked(state) | is_slave_asked_instead(state)
    is_stored = has_asked & (compute_asked(state).progress == consumer.position)
    # ENABLED WHEN
    yield when(
        is_running=consumer.is_running, is_progress_stored=is_stored | (consumer.position < 0)
    )
    # EFFECT
    return evolve(state, consumer=evolve(consumer, is_running=False, position=NO_PROGRESS))

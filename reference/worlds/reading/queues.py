"""The queue on both brokers: put, copied, deleted by retention, outlived by the log.

This module and the faults contain all that this world takes from replication.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.reading.state import MASTER, SLAVE, FollowedMessage, QueueBroker, Reading


def change_broker(state: Reading, broker: int, changed: QueueBroker) -> Reading:
    """The state with one broker changed."""
    master, slave = state.brokers
    return evolve(state, brokers=(changed, slave) if broker == MASTER else (master, changed))


def has_message(state: Reading, broker: int) -> bool:
    """The broker has the followed message."""
    return state.message.is_on_master if broker == MASTER else state.message.is_on_slave


def get_place(message: FollowedMessage, broker: int) -> int:
    """The followed message's place in a broker's queue, now or before; -1 if it never had one."""
    return message.offset if broker == MASTER else message.slave_offset


def follow(state: Reading, is_wanted: bool, end: int) -> Reading:
    """The state in which all messages below ``end`` have been put.

    The last one is the followed one, if that is wanted and it has not been put before.
    """
    message, consumer = state.message, state.consumer
    is_it, is_known = is_wanted & (state.put_below < end), consumer.ghost_stored >= 0
    put = evolve(
        message,
        offset=choose(is_it, end - 1, message.offset),
        is_on_master=message.is_on_master | is_it,
        ghost_is_owed=message.ghost_is_owed | (is_it & consumer.ghost_has_begun),
        ghost_is_owed_to_known=message.ghost_is_owed_to_known | (is_it & is_known),
    )
    return evolve(state, message=put, put_below=maximum(state.put_below, end))


@rule(
    who="producer",
    source="DefaultMessageStore#putMessage, ReputMessageService#doReput",
    weight=8,
    lane="master",
    says="puts messages below {state.master.queue_max}",
)
def put_messages(state: Reading) -> RuleBody:
    """The master appends messages, and its queue shows them; the last may be the followed one.

    Messages that the slave has shown before are not put again.
    """
    master = state.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up)
    end = yield between("queue_max", master.queue_max + 1, state.parameters.ghost_queue_size_max)
    is_followed = yield between("is_followed", 0, choose(state.message.offset < 0, 1, 0))
    # EFFECT
    put = follow(state, is_followed == 1, end)
    return change_broker(put, MASTER, evolve(master, queue_max=end))


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, ReputMessageService#doReput",
    says="<~ copies to {queue_max}",
)
def replicate_messages(state: Reading) -> RuleBody:
    """The slave shows messages that it has copied, whatever lies before them (R-HC-17).

    The master need not run any more. A queue without entries begins with the first copied message
    (ConsumeQueue#putMessagePositionInfo).
    """
    # ENABLED WHEN
    yield when(is_slave_up=state.slave.is_up, is_copying_possible=state.is_copying)
    end = yield between("queue_max", state.copied_below + 1, compute_copied_end(state))
    is_lost_one = yield between("is_lost_one", 0, choose(is_followed_one_lost(state), 1, 0))
    # EFFECT
    return show_on_slave(state, end, is_lost_one == 1)


def has_lost_messages(state: Reading) -> bool:
    """The master may lack messages that it once had; a slave may have them."""
    return state.faults.master_power_losses > 0


def compute_copied_end(state: Reading) -> int:
    """Where the slave's copies can end: at its master's end, which may have been later before.

    For messages that only the slave shows: `show_before_master`, `show_without_master`.
    """
    return maximum(state.master.queue_max, state.lost_below)


def is_followed_one_lost(state: Reading) -> bool:
    """The followed message was put and its master has lost it: the slave may still have it."""
    return has_lost_messages(state) & (state.message.offset >= 0)


def compute_slave_place(state: Reading, index: int) -> int:
    """The place in the slave's queue for the next message with this index (R-RP-05).

    This is the message's own index, unless the queue misses messages or is older than its master's.
    Then it is the queue's end: in the first case for every message, in the second for the very
    first.
    """
    end, below = state.slave.queue_max, state.copied_below
    is_behind = (0 < end) & (end < below)
    is_very_first = is_older_than_masters(state) & (index == 0)
    return choose(is_behind, end + index - below, choose(is_very_first, end, index))


def is_older_than_masters(state: Reading) -> bool:
    """The slave's queue has messages of an earlier topic of this name, and none of this one."""
    return (0 < state.slave.queue_max) & (state.copied_below == 0)


def show_on_slave(state: Reading, end: int, is_lost_one: bool) -> Reading:
    """The slave's queue shows the messages below this index, if it has not shown as many.

    A message whose index the queue has passed counts as shown and is left out. ``is_lost_one``: the
    followed message is among them although its master has lost it.
    """
    slave, message, index = state.slave, state.message, state.message.offset
    is_in_it = (state.copied_below <= index) & (index < end)
    is_first, place = slave.queue_max == 0, compute_slave_place(state, index)
    taken = slave.queue_max + choose(is_older_than_masters(state), 1, 0)
    has_room = (taken <= place) | (is_older_than_masters(state) & (index == 0))
    is_shown = is_in_it & (message.is_on_master | is_lost_one) & has_room
    longer = evolve(
        slave,
        queue_min=choose(is_first, state.copied_below, slave.queue_min),
        queue_max=maximum(taken, compute_slave_place(state, end)),
        first_kept=choose(is_first, state.copied_below, slave.first_kept),
    )
    copied = evolve(
        message,
        is_on_slave=message.is_on_slave | is_shown,
        slave_offset=choose(is_shown, place, message.slave_offset),
    )
    return change_broker(evolve(state, message=copied, copied_below=end), SLAVE, longer)


def show_first(state: Reading, end: int, is_followed: bool) -> Reading:
    """The slave's queue shows messages below ``end`` that the master's does not show."""
    return show_on_slave(follow(state, is_followed, end), end, is_lost_one=False)


def compute_shown_end(state: Reading) -> int:
    """The index up to which one of the queues shows messages."""
    return maximum(state.copied_below, state.master.queue_max)


@rule(
    who="slave",
    source="ReputMessageService#doReput, HAConnection.WriteSocketService#run",
    weight=1,
    says="shows messages below {queue_max} before its master",
)
def show_before_master(state: Reading) -> RuleBody:
    """The slave's queue shows messages that a running master has but does not show yet.

    Log and queue of the master are separate, and nothing sent to a slave waits for the queue
    (R-RP-06).
    """
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        is_master_up=state.master.is_up,
        is_copying_possible=state.is_copying,
        is_nothing_lost=negate(has_lost_messages(state)),
        is_within_limit=is_within_limit(state, "lagging_dispatches"),
    )
    shown, highest = compute_shown_end(state), state.parameters.ghost_queue_size_max
    end = yield between("queue_max", shown + 1, highest)
    is_followed = yield between("is_followed", 0, choose(state.message.offset < 0, 1, 0))
    # EFFECT
    return count_fault(show_first(state, end, is_followed == 1), "lagging_dispatches")


@rule(
    who="slave",
    source="ReputMessageService#doReput",
    says="shows messages below {queue_max} without its master",
)
def show_without_master(state: Reading) -> RuleBody:
    """The slave's queue shows received messages that its master's queue did not get to show.

    When the master is back it shows them too, before it is read (`start_broker`).
    """
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        is_master_down=is_down(state, MASTER),
        is_copying_possible=state.is_copying,
        is_nothing_lost=negate(has_lost_messages(state)),
    )
    shown, highest = compute_shown_end(state), state.parameters.ghost_queue_size_max
    end = yield between("queue_max", shown + 1, highest)
    is_followed = yield between("is_followed", 0, choose(state.message.offset < 0, 1, 0))
    # EFFECT
    return show_first(state, end, is_followed == 1)


def compute_deletable_end(state: Reading) -> int:
    """Where retention on the master ends before a copying slave has its copy.

    If it continues beyond, the slave can no longer copy (`overtake_copying`).
    """
    copied = minimum(state.master.queue_max, state.copied_below)
    return choose(state.is_copying, copied, state.master.queue_max)


def compute_deleted_end(state: Reading) -> int:
    """Where retention on the slave ends if it deletes only messages that its master has deleted.

    If it continues beyond, the slave deletes first (`delete_first`).
    """
    return minimum(state.slave.queue_max, state.master.first_kept)


def delete_below(state: Reading, broker: int, first_kept: int) -> Reading:
    """The state with a broker's messages below ``first_kept`` deleted; their entries stay."""
    message = state.message
    is_kept = first_kept <= get_place(message, broker)
    fewer = (
        evolve(message, is_on_master=message.is_on_master & is_kept)
        if broker == MASTER
        else evolve(message, is_on_slave=message.is_on_slave & is_kept)
    )
    deleted = evolve(state.brokers[broker], first_kept=first_kept)
    return change_broker(evolve(state, message=fewer), broker, deleted)


@rule(
    who="broker",
    source="DefaultMessageStore.CleanCommitLogService#run",
    weight=1,
    says="deletes messages below {first_kept}",
)
def expire_messages(state: Reading, broker: int) -> RuleBody:
    """Retention deletes a broker's first messages: copied ones on the master, then on the slave."""
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_broker_up=node.is_up)
    end = compute_deletable_end(state) if broker == MASTER else compute_deleted_end(state)
    first_kept = yield between("first_kept", node.first_kept + 1, end)
    # EFFECT
    return delete_below(state, broker, first_kept)


@rule(
    who="broker",
    source="DefaultMessageStore.CleanConsumeQueueService#run, ConsumeQueue#correctMinOffset",
    weight=4,
    says="moves the queue's beginning",
)
def correct_queue_min(state: Reading, broker: int) -> RuleBody:
    """The queue begins where the log does; a queue without any message left stays as it was."""
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_broker_up=node.is_up,
        is_beginning_gone=node.queue_min < node.first_kept,
        is_any_message_left=node.first_kept < node.queue_max,
    )
    # EFFECT
    corrected = evolve(node, queue_min=maximum(node.queue_min, node.first_kept))
    return change_broker(state, broker, corrected)


@rule(
    who="broker",
    source="DefaultMessageStore#getMessage (diff)",
    weight=8,
    says="its log grows past {first_in_memory} messages",
)
def age_messages(state: Reading, broker: int) -> RuleBody:
    """The log grows by messages of other topics: messages of this queue leave memory (R-GM-06)."""
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_broker_up=node.is_up)
    first = yield between("first_in_memory", node.first_in_memory + 1, node.queue_max)
    # EFFECT
    return change_broker(state, broker, evolve(node, first_in_memory=first))


def lose_behind(broker: QueueBroker, kept: int) -> QueueBroker:
    """A broker that has lost the messages from ``kept`` on; the rest may be in memory again."""
    is_shorter = kept < broker.queue_max
    return evolve(
        broker,
        queue_max=kept,
        first_kept=choose(kept < broker.first_kept, kept, broker.first_kept),
        first_in_memory=choose(is_shorter, 0, broker.first_in_memory),
    )


def is_down(state: Reading, broker: int) -> bool:
    """The broker's process does not run."""
    return negate(state.brokers[broker].is_up)

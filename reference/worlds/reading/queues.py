"""The queue on both brokers: put, copied, deleted by retention, left behind by the log.

All that this world takes from replication stands here and among the faults.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.reading.state import MASTER, SLAVE, Broker, Reading


def change_broker(state: Reading, broker: int, changed: Broker) -> Reading:
    """The state with one broker changed."""
    master, slave = state.brokers
    return evolve(state, brokers=(changed, slave) if broker == MASTER else (master, changed))


def has_message(state: Reading, broker: int) -> bool:
    """The broker has the followed message."""
    return state.message.is_on_master if broker == MASTER else state.message.is_on_slave


@rule(
    who="producer",
    source="DefaultMessageStore#putMessage, ReputMessageService#doReput",
    weight=8,
    lane="master",
    says="a message is put",
)
def put_message(state: Reading) -> RuleBody:
    """The master appends a message, and its queue shows it; once it is the one that is followed."""
    master, message = state.master, state.message
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_below_modelled_end=master.queue_max < state.parameters.ghost_queue_size_max,
    )
    is_followed = yield between("is_followed", 0, choose(message.offset < 0, 1, 0))
    # EFFECT
    is_it, consumer = is_followed == 1, state.consumer
    is_known = consumer.ghost_stored >= 0
    put = evolve(
        message,
        offset=choose(is_it, master.queue_max, message.offset),
        is_on_master=message.is_on_master | is_it,
        ghost_is_owed=message.ghost_is_owed | (is_it & consumer.ghost_has_begun),
        ghost_is_owed_to_known=message.ghost_is_owed_to_known | (is_it & is_known),
    )
    appended = evolve(master, queue_max=master.queue_max + 1)
    return change_broker(evolve(state, message=put), MASTER, appended)


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, ReputMessageService#doReput",
    says="<~ copies to {queue_max}",
)
def replicate_messages(state: Reading) -> RuleBody:
    """The slave copies messages from where it stands, whatever lies before it there (R-HC-17).

    A queue that has no entry begins with the first message that is copied
    (ConsumeQueue#putMessagePositionInfo).
    """
    master, slave, message = state.master, state.slave, state.message
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up, is_slave_up=slave.is_up, is_copying_possible=state.is_copying
    )
    end = yield between("queue_max", state.copied_below + 1, master.queue_max)
    # EFFECT
    is_in_it = (state.copied_below <= message.offset) & (message.offset < end)
    is_first = slave.queue_max == 0
    longer = evolve(
        slave,
        queue_min=choose(is_first, state.copied_below, slave.queue_min),
        queue_max=end,
        first_kept=choose(is_first, state.copied_below, slave.first_kept),
    )
    copied = evolve(message, is_on_slave=message.is_on_slave | (is_in_it & message.is_on_master))
    return change_broker(evolve(state, message=copied, copied_below=end), SLAVE, longer)


def compute_deletable_end(state: Reading) -> int:
    """Up to where retention deletes on the master before a slave that copies has its copy.

    Where it goes on, the slave can copy no more (`overtake_copying`).
    """
    copied = minimum(state.master.queue_max, state.copied_below)
    return choose(state.is_copying, copied, state.master.queue_max)


def compute_deleted_end(state: Reading) -> int:
    """Up to where retention deletes on the slave what its master has deleted.

    Where it goes on, the slave deletes first (`delete_first`).
    """
    return minimum(state.slave.queue_max, state.master.first_kept)


def delete_below(state: Reading, broker: int, first_kept: int) -> Reading:
    """The state with a broker's messages below ``first_kept`` deleted; their entries stay."""
    message = state.message
    is_kept = first_kept <= message.offset
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
    """Retention deletes the first messages on a broker: copied ones on the master, then both."""
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
    """The queue begins where the log does; a queue of which no message is left stays as it was."""
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
    """The log grows by messages of other topics: these here count as out of memory (R-GM-06)."""
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_broker_up=node.is_up)
    first = yield between("first_in_memory", node.first_in_memory + 1, node.queue_max)
    # EFFECT
    return change_broker(state, broker, evolve(node, first_in_memory=first))


def lose_behind(broker: Broker, kept: int) -> Broker:
    """A broker that has lost the messages from ``kept`` on; what is left may be in memory again."""
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

"""The consumer takes the queue, corrects its progress, gives the queue back, starts and stops.

`reference.decisions.progress`, called with terms in place of numbers, decides where it begins.
"""

from __future__ import annotations

from attrs import evolve

from reference.decisions.progress.client_offsets import NOT_TAKEN, Beginning, compute_begin
from reference.decisions.progress.offset_table import ProgressKnowledge, compute_answer
from reference.decisions.reading.client import compute_first_id
from reference.decisions.reading.settings import is_further_back_than_memory
from reference.language.operators import choose, maximum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.reading.routes import see_what_is_listed
from reference.worlds.reading.state import MASTER, NO_OFFSET, SLAVE, Consumer, Reading


def is_first_message_on_disk(state: Reading, broker: int) -> bool:
    """The queue has its very first entry, which lies further back than memory reaches."""
    node = state.brokers[broker]
    reach = node.queue_max - node.first_in_memory
    return (node.queue_max > 0) & is_further_back_than_memory(node.queue_max, 0, reach)


def tell_progress(state: Reading, broker: int) -> int:
    """A broker's answer to a query for the group's progress (R-CO-05); -1: none."""
    node = state.brokers[broker]
    is_on_disk = is_first_message_on_disk(state, broker)
    return compute_answer(ProgressKnowledge(node.progress, node.queue_min, is_on_disk))


def is_master_there(state: Reading) -> bool:
    """The consumer's route has the master, which runs."""
    return state.routes.is_master_seen & state.master.is_up


def is_store_there(state: Reading) -> bool:
    """The broker that keeps progress for the consumer runs: the first address (R-CC-02)."""
    is_master = compute_first_id(state.routes.is_master_seen) == MASTER
    return choose(is_master, state.master.is_up, state.routes.is_slave_seen & state.slave.is_up)


def ask_progress(state: Reading) -> int:
    """The answer of the broker that keeps progress for the consumer."""
    is_master = compute_first_id(state.routes.is_master_seen) == MASTER
    return choose(is_master, tell_progress(state, MASTER), tell_progress(state, SLAVE))


def compute_beginning(state: Reading) -> int:
    """Where the consumer begins, or NOT_TAKEN (R-CC-15)."""
    master_max = choose(is_master_there(state), state.master.queue_max, NOT_TAKEN)
    beginning = Beginning(
        ask_progress(state), state.structure.strategy, master_max_offset=master_max
    )
    return compute_begin(beginning)


def store_progress(state: Reading, progress: int) -> Reading:
    """The state after the consumer has sent progress to the broker that keeps it (R-CC-13).

    If that broker is down, or there is nothing to send (-1), nothing changes. A broker accepts any
    value, even a lower one (R-CO-01).
    """
    master, slave, consumer = state.master, state.slave, state.consumer
    is_sent = is_store_there(state) & (progress >= 0)
    is_master = compute_first_id(state.routes.is_master_seen) == MASTER
    to_master = choose(is_sent & is_master, progress, master.progress)
    to_slave = choose(is_sent & negate(is_master), progress, slave.progress)
    brokers = (evolve(master, progress=to_master), evolve(slave, progress=to_slave))
    taken = choose(is_sent, progress, consumer.ghost_stored)
    return evolve(state, brokers=brokers, consumer=evolve(consumer, ghost_stored=taken))


def leave_queue(state: Reading, *, is_running: bool = True) -> Reading:
    """The consumer without its queue: nothing cached, no progress in memory."""
    old = state.consumer
    suggested = old.suggested_id if is_running else 0
    left = evolve(
        old,
        is_running=is_running,
        suggested_id=suggested,
        next_offset=NO_OFFSET,
        cache_first=NO_OFFSET,
        cache_end=0,
        progress=NO_OFFSET,
        corrected=NO_OFFSET,
    )
    message = evolve(state.message, is_cached=False, is_consuming=False)
    return evolve(state, consumer=left, message=message)


@rule(who="operator", source="DefaultMQPushConsumerImpl#start", lane="consumer", says="starts")
def start_consumer(state: Reading) -> RuleBody:
    """The consumer's process starts; it fetches the route immediately."""
    routes = state.routes
    # ENABLED WHEN
    yield when(
        is_not_running=negate(state.consumer.is_running),
        is_any_listed=routes.is_master_listed | routes.is_slave_listed,
    )
    # EFFECT
    started = evolve(state.consumer, is_running=True)
    return evolve(state, routes=see_what_is_listed(routes), consumer=started)


def begin_at(state: Reading, begin: int) -> Reading:
    """Ghost bookkeeping: the group has begun; messages before its first position are not owed."""
    consumer, message = state.consumer, state.message
    is_first = negate(consumer.ghost_has_begun)
    is_back = consumer.ghost_has_begun & (begin < consumer.ghost_stored)
    is_ahead = message.is_on_master & (begin <= message.offset)
    begun = evolve(
        consumer,
        ghost_has_begun=True,
        ghost_has_moved_back=consumer.ghost_has_moved_back | is_back,
    )
    owed = evolve(message, ghost_is_owed=message.ghost_is_owed | (is_first & is_ahead))
    return evolve(state, consumer=begun, message=owed)


@rule(
    who="consumer",
    source="RebalanceImpl#updateProcessQueueTableInRebalance, #computePullFromWhere",
    lane="consumer",
    says="takes the queue at {state.consumer.next_offset}",
)
def take_queue(state: Reading) -> RuleBody:
    """The consumer takes the queue and begins to pull, once it learns where (R-CC-15).

    Stored progress, if there is any, becomes its progress in memory; otherwise it has no entry yet.
    """
    consumer, begin = state.consumer, compute_beginning(state)
    # ENABLED WHEN
    yield when(
        is_running=consumer.is_running,
        has_no_queue=consumer.next_offset < 0,
        is_not_correcting=consumer.corrected < 0,
        is_store_there=is_store_there(state),
        is_lock_granted=is_master_there(state) | (not state.structure.is_orderly),
        is_beginning_told=begin >= 0,
    )
    # EFFECT
    told = ask_progress(state)
    taken = evolve(consumer, next_offset=begin, progress=maximum(told, NO_OFFSET))
    return begin_at(evolve(state, consumer=taken), begin)


@rule(
    who="consumer",
    source="DefaultMQPushConsumerImpl#pullMessage (OFFSET_ILLEGAL)",
    lane="consumer",
    says="corrects its progress",
)
def correct_progress(state: Reading) -> RuleBody:
    """Ten seconds after a broker moved it, the consumer corrects progress and gives the queue back.

    It stores a lower progress too (R-CC-09).
    """
    corrected = state.consumer.corrected
    # ENABLED WHEN
    yield when(is_running=state.consumer.is_running, is_moved=corrected >= 0)
    # EFFECT
    return leave_queue(store_progress(state, corrected))


def holds_queue(consumer: Consumer) -> bool:
    """It has the queue, whether it pulls or has given it up."""
    return (consumer.next_offset >= 0) | (consumer.corrected >= 0)


@rule(
    who="consumer",
    source="RebalancePushImpl#removeUnnecessaryMessageQueue",
    weight=4,
    lane="consumer",
    says="gives the queue back",
)
def give_queue_back(state: Reading) -> RuleBody:
    """Another consumer of the group is to have the queue: progress is sent, then forgotten.

    An orderly consumer keeps the queue as long as a message is being consumed.
    """
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        holds_queue=holds_queue(state.consumer),
        is_unlocked=negate(state.message.is_consuming) | (not state.structure.is_orderly),
    )
    # EFFECT
    return leave_queue(store_progress(state, state.consumer.progress))


@rule(
    who="consumer",
    source="MQClientInstance#persistAllConsumerOffset, RemoteBrokerOffsetStore#persistAll",
    lane="consumer",
    says="sends its progress",
)
def send_progress(state: Reading) -> RuleBody:
    """The consumer sends its progress to the broker that keeps it, every 5 s (R-CC-12, R-CC-13)."""
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        holds_queue=holds_queue(state.consumer),
        has_progress=state.consumer.progress >= 0,
        is_store_there=is_store_there(state),
    )
    # EFFECT
    return store_progress(state, state.consumer.progress)


@rule(
    who="operator",
    source="DefaultMQPushConsumerImpl#shutdown",
    weight=4,
    lane="consumer",
    says="stops cleanly",
)
def stop_consumer(state: Reading) -> RuleBody:
    """The consumer stops cleanly: it does not wait, and its last commit may not arrive.

    Unfinished messages are consumed again by the next consumer that takes the queue.
    """
    # ENABLED WHEN
    yield when(is_running=state.consumer.is_running)
    is_taken = yield between("is_commit_taken", 0, 1)
    # EFFECT
    progress = choose(is_taken == 1, state.consumer.progress, NO_OFFSET)
    return leave_queue(store_progress(state, progress), is_running=False)

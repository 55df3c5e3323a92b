"""Brokers stop, start and fail; their tables of progress are written, read and copied."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.reading.queues import (
    change_broker,
    compute_deletable_end,
    compute_deleted_end,
    delete_below,
    is_down,
    lose_behind,
)
from reference.worlds.reading.rebalancing import leave_queue
from reference.worlds.reading.state import (
    MASTER,
    NO_OFFSET,
    SLAVE,
    FollowedMessage,
    QueueBroker,
    Reading,
)

STOPS = ("master_stops", "slave_stops")
KILLS = ("master_kills", "slave_kills")
"""The fault that a kill counts as, by broker."""


def count(state: Reading, fault: str) -> Reading:
    """The state with one more of this fault counted."""
    counted: Reading = count_fault(state, fault)
    return counted


def bring_down(state: Reading, broker: int, **changes: int) -> Reading:
    """The state after a broker's process has ended; a slave also forgets its master's address."""
    routes = state.routes if broker == MASTER else evolve(state.routes, is_master_known=False)
    down = evolve(state.brokers[broker], is_up=False, **changes)
    return change_broker(evolve(state, routes=routes), broker, down)


@rule(who="operator", source="BrokerController#shutdown", weight=1, says="stops cleanly")
def stop_broker(state: Reading, broker: int) -> RuleBody:
    """A broker stops cleanly and writes its progress (R-BR-08)."""
    # ENABLED WHEN
    yield when(
        is_broker_up=state.brokers[broker].is_up,
        is_within_limit=is_within_limit(state, STOPS[broker]),
    )
    # EFFECT
    stopped = bring_down(state, broker, progress_on_disk=state.brokers[broker].progress)
    return count(stopped, STOPS[broker])


@rule(
    who="operator",
    source="BrokerController#initialize, ConsumerOffsetManager#load",
    says="starts again",
)
def start_broker(state: Reading, broker: int) -> RuleBody:
    """A broker starts with the progress that it finds on its disk.

    Before it is read, a master's queue shows all of its log (CommitLog#recoverAbnormally
    dispatches; DefaultMessageStore#shutdown waits for dispatch, or leaves the abort file).
    """
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_broker_down=is_down(state, broker))
    # EFFECT
    end = maximum(node.queue_max, state.put_below) if broker == MASTER else node.queue_max
    started = evolve(node, is_up=True, progress=node.progress_on_disk, queue_max=end)
    return change_broker(state, broker, started)


@rule(who="broker", source="ConsumerOffsetManager#persist", weight=8, says="writes progress")
def persist_progress(state: Reading, broker: int) -> RuleBody:
    """A broker writes its table, every 5 s, and a slave after each synchronisation (R-CO-03)."""
    node = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_broker_up=node.is_up)
    # EFFECT
    return change_broker(state, broker, evolve(node, progress_on_disk=node.progress))


@rule(
    who="slave",
    source="SlaveSynchronize#syncConsumerOffset",
    weight=8,
    says="<~ progress of master",
)
def synchronise_progress(state: Reading) -> RuleBody:
    """The slave takes over the master's entry, even a lower one; without one it keeps its own.

    This happens every 60 s, as long as it knows the master's address (R-MS-01, R-MS-03, R-MS-06).
    """
    master, slave = state.brokers
    # ENABLED WHEN
    yield when(
        is_slave_up=slave.is_up,
        is_master_known=state.routes.is_master_known,
        is_master_up=master.is_up,
        has_master_entry=master.progress >= 0,
    )
    # EFFECT
    return change_broker(state, SLAVE, evolve(slave, progress=master.progress))


@rule(who="fault", source="kill -9 of the consumer", lane="consumer", says="## KILLED")
def kill_consumer(state: Reading) -> RuleBody:
    """The consumer's process is killed; progress that it has not sent is lost."""
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        is_within_limit=is_within_limit(state, "consumer_kills"),
    )
    # EFFECT
    return count(leave_queue(state, is_running=False), "consumer_kills")


@rule(who="fault", source="kill -9 of a broker", says="## KILLED")
def kill_broker(state: Reading, broker: int) -> RuleBody:
    """A broker's process is killed, and its table in memory is lost (R-CO-07)."""
    # ENABLED WHEN
    yield when(
        is_broker_up=state.brokers[broker].is_up,
        is_within_limit=is_within_limit(state, KILLS[broker]),
    )
    # EFFECT
    return count(bring_down(state, broker), KILLS[broker])


def find_after_loss(node: QueueBroker, is_file_lost: int) -> int:
    """The progress on a disk after a power loss; the file was never forced."""
    return choose(is_file_lost == 1, NO_OFFSET, node.progress_on_disk)


@rule(
    who="fault",
    source="power loss of the master's machine",
    lane="master",
    says="## POWER LOSS, KEEPS {kept_below}",
)
def lose_master_power(state: Reading) -> RuleBody:
    """The master loses its last messages, and perhaps its file of progress.

    These may include messages that its queue does not show yet.
    """
    master, message = state.master, state.message
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up, is_within_limit=is_within_limit(state, "master_power_losses")
    )
    highest = maximum(master.queue_max, state.put_below)
    kept = yield between("kept_below", master.queue_min, highest)
    is_file_lost = yield between("is_file_lost", 0, 1)
    is_torn = yield between("is_message_torn", 0, choose(message.is_on_master, 1, 0))
    # EFFECT
    fewer = lose_on_master(state, (kept <= message.offset) | (is_torn == 1))
    shorter = evolve(
        lose_behind(master, minimum(kept, master.queue_max)),
        is_up=False,
        progress_on_disk=find_after_loss(master, is_file_lost),
    )
    less = note_loss(evolve(state, message=fewer), kept)
    return count(change_broker(less, MASTER, shorter), "master_power_losses")


def note_loss(state: Reading, kept: int) -> Reading:
    """The state whose master no longer has the message with this index or any later one."""
    lost_below = maximum(state.lost_below, state.put_below)
    return evolve(state, put_below=kept, lost_below=lost_below)


def lose_on_master(state: Reading, is_gone: bool) -> FollowedMessage:
    """The followed message after the master has lost it, if it has."""
    message = state.message
    is_lost = message.is_on_master & is_gone
    return evolve(
        message,
        is_on_master=message.is_on_master & negate(is_lost),
        ghost_was_in_vain=message.ghost_was_in_vain | (is_lost & message.ghost_was_handed),
    )


@rule(
    who="fault",
    source="loss of the master's disk; DefaultMessageStore#load",
    lane="master",
    says="## DISK LOST",
)
def lose_master_disk(state: Reading) -> RuleBody:
    """The master's disk is lost; its broker will restart with an empty one."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up,
        is_within_limit=is_within_limit(state, "master_power_losses"),
    )
    # EFFECT
    fewer = note_loss(evolve(state, message=lose_on_master(state, True)), 0)
    lost = change_broker(fewer, MASTER, QueueBroker(is_up=False))
    return count(lost, "master_power_losses")


@rule(
    who="fault",
    source="power loss of the slave's machine",
    lane="slave",
    says="## POWER LOSS, KEEPS {kept_queue_max}",
)
def lose_slave_power(state: Reading) -> RuleBody:
    """The slave loses its last messages, and perhaps its file; it copies the messages again."""
    slave, message = state.slave, state.message
    # ENABLED WHEN
    yield when(is_within_limit=is_within_limit(state, "slave_losses"))
    kept = yield between("kept_queue_max", slave.queue_min, slave.queue_max)
    is_file_lost = yield between("is_file_lost", 0, 1)
    is_all_lost = yield between("is_all_lost", 0, 1)
    # EFFECT
    is_empty = is_all_lost == 1
    kept = choose(is_empty, 0, kept)
    is_kept = message.is_on_slave & (message.slave_offset < kept)
    shorter = evolve(
        lose_behind(slave, kept), progress_on_disk=find_after_loss(slave, is_file_lost)
    )
    missed = state.copied_below - slave.queue_max
    copied_below = choose(kept < slave.queue_max, maximum(0, kept + missed), state.copied_below)
    shorter = evolve(
        shorter,
        queue_min=choose(is_empty, 0, shorter.queue_min),
        first_kept=choose(is_empty, 0, shorter.first_kept),
    )
    copied_below = choose(is_empty, 0, copied_below)
    lost = evolve(
        change_broker(state, SLAVE, shorter),
        message=evolve(message, is_on_slave=is_kept),
        copied_below=copied_below,
    )
    return count(bring_down(lost, SLAVE), "slave_losses")


@rule(
    who="fault",
    source="DefaultMessageStore.CleanCommitLogService#isTimeToDelete, #isSpaceToDelete",
    lane="slave",
    says="## DELETES BELOW {first_kept} BEFORE ITS MASTER",
)
def delete_first(state: Reading) -> RuleBody:
    """The slave deletes messages its master still has, by its own clock or for its own disk."""
    slave = state.slave
    # ENABLED WHEN
    yield when(is_slave_up=slave.is_up, is_within_limit=is_within_limit(state, "early_deletions"))
    deleted = maximum(compute_deleted_end(state), slave.first_kept)
    first_kept = yield between("first_kept", deleted + 1, slave.queue_max)
    # EFFECT
    return count(delete_below(state, SLAVE, first_kept), "early_deletions")


@rule(
    who="fault",
    source="HAClient#connectMaster (currentReportedOffset 0), HAConnection.WriteSocketService#run",
    lane="slave",
    says="## REPLACED BY AN EMPTY ONE",
)
def replace_slave(state: Reading) -> RuleBody:
    """An empty slave takes the slave's place."""
    # ENABLED WHEN
    yield when(is_within_limit=is_within_limit(state, "slave_losses"))
    # EFFECT
    empty = change_broker(state, SLAVE, QueueBroker())
    replaced = evolve(
        empty,
        message=evolve(state.message, is_on_slave=False),
        copied_below=0,
        is_copying=True,
    )
    return count(bring_down(replaced, SLAVE), "slave_losses")


@rule(
    who="fault",
    source="HAClient#connectMaster (currentReportedOffset 0), HAConnection.WriteSocketService#run",
    lane="slave",
    says="## BEGINS WITH {first}",
)
def join_late(state: Reading) -> RuleBody:
    """An empty slave copies from its master's last file on, and never gets the earlier ones."""
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        has_no_entry=state.slave.queue_max == 0,
        is_within_limit=is_within_limit(state, "slave_losses"),
    )
    shown, highest = state.master.queue_max, state.parameters.ghost_queue_size_max
    last = choose(state.master.is_up, shown, highest)
    first = yield between("first", state.copied_below + 1, last)
    # EFFECT
    put_below = maximum(state.put_below, first)
    return count(evolve(state, copied_below=first, put_below=put_below), "slave_losses")


@rule(
    who="fault",
    source="CommitLog#checkMessageAndReturnSize (the checksum covers the body only)",
    lane="slave",
    says="## TAKES AN INCOMPLETE RECORD FOR WHOLE",
)
def damage_copy(state: Reading) -> RuleBody:
    """The slave's entry of the followed message leads to an incomplete record.

    A slave that ended within the record takes it for whole when it starts (T1-00967).
    """
    # ENABLED WHEN
    yield when(
        has_copy=state.message.is_on_slave,
        is_within_limit=is_within_limit(state, "torn_copies"),
    )
    # EFFECT
    return count(evolve(state, message=evolve(state.message, is_on_slave=False)), "torn_copies")


@rule(
    who="fault",
    source="ReputMessageService#doReput before 4.4.0 (after a start nothing earlier is dispatched)",
    lane="slave",
    says="## MISSES MESSAGES BELOW {copied_below}",
)
def miss_messages(state: Reading) -> RuleBody:
    """The slave's queue misses messages that its log has; later ones move up to fill the gap.

    Before 4.4.0, each stop of a broker whose dispatch was behind had this effect (#467).
    """
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        is_copying_possible=state.is_copying,
        is_within_limit=is_within_limit(state, "missed_dispatches"),
    )
    below = yield between("copied_below", state.copied_below + 1, state.master.queue_max)
    # EFFECT
    return count(evolve(state, copied_below=below), "missed_dispatches")


@rule(
    who="fault",
    source="AdminBrokerProcessor#deleteTopic, DefaultMessageStore#cleanUnusedTopic",
    lane="master",
    says="## TOPIC IS DELETED AND RECREATED",
)
def recreate_topic(state: Reading) -> RuleBody:
    """The topic is deleted on the master and recreated: its queue is empty, the slave's is not.

    ``mqadmin deleteTopic`` asked masters only; a slave's queue stays, and so does progress (#316).
    """
    master = state.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up, is_within_limit=is_within_limit(state, "topic_recreations")
    )
    # EFFECT
    fewer = evolve(state, message=lose_on_master(state, True), put_below=0, copied_below=0)
    emptied = evolve(master, queue_min=0, queue_max=0, first_kept=0, first_in_memory=0)
    return count(change_broker(fewer, MASTER, emptied), "topic_recreations")


@rule(
    who="fault",
    source="HAClient#dispatchReadRequest (offset mismatch), ReputMessageService#doReput (stuck)",
    lane="slave",
    says="## STOPS COPYING",
)
def stall_slave(state: Reading) -> RuleBody:
    """The slave stops copying, though it runs; the replication model shows the possible causes."""
    # ENABLED WHEN
    yield when(is_copying=state.is_copying, is_within_limit=is_within_limit(state, "slave_stalls"))
    # EFFECT
    return count(evolve(state, is_copying=False), "slave_stalls")


@rule(
    who="slave",
    source="ReputMessageService#doReput, HAClient#run",
    weight=1,
    says="shows messages again",
)
def resume_copying(state: Reading) -> RuleBody:
    """A stuck slave copies again after all: with bytes that it has received, or from elsewhere."""
    # ENABLED WHEN
    yield when(is_stuck=negate(state.is_copying))
    # EFFECT
    return evolve(state, is_copying=True)


@rule(
    who="fault",
    source="CleanCommitLogService#run, HAConnection.WriteSocketService#run",
    lane="master",
    says="## DELETES BELOW {first_kept} BEFORE IT IS COPIED",
)
def overtake_copying(state: Reading) -> RuleBody:
    """Retention deletes messages on the master that the slave has not copied: it stops copying."""
    master = state.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_copying=state.is_copying,
        is_within_limit=is_within_limit(state, "slave_stalls"),
    )
    copied = maximum(compute_deletable_end(state), master.first_kept)
    first_kept = yield between("first_kept", copied + 1, master.queue_max)
    # EFFECT
    overtaken = evolve(delete_below(state, MASTER, first_kept), is_copying=False)
    return count(overtaken, "slave_stalls")


@rule(
    who="fault",
    source="RouteInfoManager#scanNotActiveBroker",
    lane="name server",
    says="## LOSES THE MASTER",
)
def part_master_from_name_server(state: Reading) -> RuleBody:
    """The name server has not heard of the master for two minutes and drops it, though it runs."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up,
        is_listed=state.routes.is_master_listed,
        is_within_limit=is_within_limit(state, "partitions"),
    )
    # EFFECT
    parted = evolve(state, routes=evolve(state.routes, is_master_listed=False))
    return count(parted, "partitions")


@rule(
    who="fault",
    source="ConsumerOffsetManager#commitOffset (one-way, out of order)",
    lane="master",
    says="## OLD COMMIT {progress} ARRIVES",
)
def deliver_stale_commit(state: Reading) -> RuleBody:
    """A commit that was sent earlier arrives at the master after a newer one."""
    master = state.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_within_limit=is_within_limit(state, "stale_commits"))
    progress = yield between("progress", 0, master.progress)
    # EFFECT
    late = change_broker(state, MASTER, evolve(master, progress=progress))
    return count(late, "stale_commits")

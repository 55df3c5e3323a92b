"""The put path behind the append: the wait for the disk, then the wait for a slave, the answer.

The two waits follow one another (R-CL-03), and the status of the second overrides that of the
first (R-CL-16). A wait may time out at any moment: a timer is an action, not a clock.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.operations import choose, negate
from reference.rule import RuleBody, replace_at, rule, when
from reference.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    PUT_OK,
    SLAVE_NOT_AVAILABLE,
    UNANSWERED,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
    WAITS_FOR_SLAVE_CHECK,
    Cluster,
    Message,
)


def is_acknowledged(message: Message) -> bool:
    """A producer that waits for the store was answered PUT_OK."""
    return (message.phase == ANSWERED) & (message.status == PUT_OK) & message.waits_for_store


def is_pending(message: Message) -> bool:
    """Its put was appended and is not answered yet."""
    return (message.phase >= WAITS_FOR_DISK) & (message.phase <= WAITS_FOR_SLAVE)


def has_disk_wait(cluster: Cluster, message: Message) -> bool:
    """CommitLog#handleDiskFlush waits: SYNC_FLUSH, and the producer waits (R-FL-02)."""
    return cluster.structure.is_sync_flush & message.waits_for_store


def has_slave_wait(cluster: Cluster, message: Message) -> bool:
    """CommitLog#handleHA looks at the slaves: SYNC_MASTER, and the producer waits (R-HA-18)."""
    return cluster.structure.is_sync_master & message.waits_for_store


def is_slave_ok(cluster: Cluster, message: Message) -> bool:
    """HAService#isSlaveOK: a connection, and a distance strictly below the limit (R-HA-19)."""
    distance = message.end_offset - cluster.master.push2_slave_max_offset
    has_connection = cluster.master.connection_count > 0
    return has_connection & (distance < cluster.parameters.ha_slave_fallbehind_max_bytes)


def is_reported(cluster: Cluster, message: Message) -> bool:
    """Some slave has reported the message's end, or more, in this process life (R-HA-20)."""
    return message.end_offset <= cluster.master.push2_slave_max_offset


def advance(cluster: Cluster, message: int, **changes: Any) -> Cluster:
    """The cluster with one followed put changed."""
    put = evolve(cluster.messages[message], **changes)
    return evolve(cluster, messages=replace_at(cluster.messages, message, put))


def abandon_pending_puts(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """What a master's death does to its waiting puts: they are never answered."""
    return tuple(evolve(m, phase=choose(is_pending(m), UNANSWERED, m.phase)) for m in messages)


@rule(who="master", source="CommitLog#handleDiskFlush, GroupCommitService#doCommit")
def answer_disk_wait(cluster: Cluster, message: int) -> RuleBody:
    """The disk step ends well: nobody waits for the disk, or the message is flushed."""
    put, log = cluster.messages[message], cluster.master.log
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        is_flushed_where_asked=negate(has_disk_wait(cluster, put))
        | (put.end_offset <= log.flushed_offset),
    )
    # EFFECT
    return advance(cluster, message, phase=WAITS_FOR_SLAVE_CHECK)


@rule(who="master", source="CommitLog#handleDiskFlush, GroupCommitRequest#waitForFlush")
def time_out_disk_wait(cluster: Cluster, message: int) -> RuleBody:
    """The disk wait is given up; the put goes on to the slave step all the same."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        has_disk_wait=has_disk_wait(cluster, put),
    )
    # EFFECT
    return advance(cluster, message, phase=WAITS_FOR_SLAVE_CHECK, status=FLUSH_DISK_TIMEOUT)


@rule(who="master", source="CommitLog#handleHA")
def skip_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """Nobody waits for a slave: the put is answered with the status of the disk step."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_no_slave_wait=negate(has_slave_wait(cluster, put)),
    )
    # EFFECT
    return advance(cluster, message, phase=ANSWERED)


@rule(who="master", source="CommitLog#handleHA, HAService#isSlaveOK")
def refuse_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """No connection, or the highest report is too far: SLAVE_NOT_AVAILABLE, the message stays."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_slave_wait=has_slave_wait(cluster, put),
        is_slave_not_ok=negate(is_slave_ok(cluster, put)),
    )
    # EFFECT
    return advance(cluster, message, phase=ANSWERED, status=SLAVE_NOT_AVAILABLE)


@rule(who="master", source="CommitLog#handleHA, GroupTransferService#putRequest")
def request_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """A slave looks close enough: the put waits until its end offset is reported."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_slave_wait=has_slave_wait(cluster, put),
        is_slave_ok=is_slave_ok(cluster, put),
    )
    # EFFECT
    return advance(cluster, message, phase=WAITS_FOR_SLAVE)


@rule(who="master", source="GroupTransferService#doWaitTransfer")
def answer_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """The end offset is reported by somebody: answered with the status of the disk step."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=put.phase == WAITS_FOR_SLAVE,
        is_reported=is_reported(cluster, put),
    )
    # EFFECT
    return advance(cluster, message, phase=ANSWERED)


@rule(who="master", source="CommitLog#handleHA, GroupCommitRequest#waitForFlush")
def time_out_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """The slave wait is given up: answered FLUSH_SLAVE_TIMEOUT, the message stays."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(is_waiting_for_slave=put.phase == WAITS_FOR_SLAVE)
    # EFFECT
    return advance(cluster, message, phase=ANSWERED, status=FLUSH_SLAVE_TIMEOUT)

"""The put path: refused before the append, or appended, then the disk wait, then the slave wait.

The two waits follow one another (R-CL-03), and the status of the second overrides that of the first
(R-CL-16). A wait may time out at any moment: a timer is an action, not a clock. Flushes and
wake-ups, which the broker limits by number, are counted.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.language.operators import all_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.commit_log import is_next_message
from reference.worlds.replication.flush import compute_cached_end
from reference.worlds.replication.mapped_files import flush, is_flush_file_there
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    PUT_OK,
    REFUSED,
    SERVICE_NOT_AVAILABLE,
    SLAVE_NOT_AVAILABLE,
    UNANSWERED,
    UNKNOWN_ERROR,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
    WAITS_FOR_SLAVE_CHECK,
    Cluster,
    Message,
)

DISK_FLUSHES_MAX = 2
"""``GroupCommitService#doCommit`` flushes at most twice for a request (R-FL-03)."""

TRANSFER_WAKE_UPS_MAX = 5
"""``GroupTransferService#doWaitTransfer`` waits at most five times for a request (R-HA-20)."""


def is_acknowledged(put: Message) -> bool:
    """The broker has answered PUT_OK to a producer that waits for the store."""
    return (put.phase == ANSWERED) & (put.status == PUT_OK) & put.waits_for_store


def is_pending(put: Message) -> bool:
    """The put has been appended and not yet answered."""
    return (put.phase >= WAITS_FOR_DISK) & (put.phase <= WAITS_FOR_SLAVE)


def is_waiting_for_slave(put: Message) -> bool:
    """The put is in the queue of the group transfer."""
    return put.phase == WAITS_FOR_SLAVE


def is_in_line(cluster: Cluster, put: Message) -> bool:
    """The put waits for a slave, or is about to without waiting for the disk."""
    is_flushing = (put.phase == WAITS_FOR_DISK) & has_disk_wait(cluster, put)
    return is_pending(put) & negate(is_flushing)


def has_disk_wait(cluster: Cluster, put: Message) -> bool:
    """CommitLog#handleDiskFlush waits: SYNC_FLUSH, and the producer waits (R-FL-02)."""
    return cluster.structure.is_sync_flush & put.waits_for_store


@overridable
def has_slave_wait(cluster: Cluster, put: Message) -> bool:
    """CommitLog#handleHA checks the slaves: SYNC_MASTER now, and the producer waits (R-HA-18)."""
    return cluster.master.is_sync & put.waits_for_store


@overridable
def has_no_slave_wait(cluster: Cluster, put: Message) -> bool:
    """The put is answered with the master's own status: it is not to wait for a slave."""
    return negate(has_slave_wait(cluster, put))


@overridable
def is_connection_needed(cluster: Cluster) -> bool:
    """A put waits for a slave only if the master counts a connection (R-HA-19)."""
    return True


@overridable
def is_slave_ok(cluster: Cluster, put: Message) -> bool:
    """HAService#isSlaveOK: a connection, and a distance strictly below the limit (R-HA-19)."""
    distance = put.end_offset - cluster.master.push2_slave_max_offset
    has_connection = cluster.master.connection_count > 0
    return has_connection & (distance < cluster.parameters.ha_slave_fallbehind_max_bytes)


def is_flushed(cluster: Cluster, put: Message) -> bool:
    """``flushedWhere`` covers the message."""
    return put.end_offset <= cluster.master.log.flushed_offset


@overridable
def is_reported(cluster: Cluster, put: Message) -> bool:
    """Some slave has reported the message's end, or beyond, in this process life (R-HA-20)."""
    return put.end_offset <= cluster.master.push2_slave_max_offset


@overridable
def is_slave_always_asked(cluster: Cluster) -> bool:
    """A SYNC_MASTER never answers PUT_OK without a slave's report."""
    return True


def is_at_head_of_line(cluster: Cluster, message: int) -> bool:
    """No followed put with an earlier request is waiting: one is served at a time (R-HA-22)."""
    turn = cluster.messages[message].transfer_turn
    others = (m for i, m in enumerate(cluster.messages) if i != message)
    return all_of(*(negate(is_waiting_for_slave(m) & (m.transfer_turn < turn)) for m in others))


def compute_next_turn(messages: tuple[Message, ...]) -> int:
    """The turn after all followed puts that wait for a slave; 1 if none does."""
    return 1 + maximum(0, *(choose(is_waiting_for_slave(m), m.transfer_turn, 0) for m in messages))


@overridable
def compute_phase_after_disk(cluster: Cluster) -> int:
    """The phase of a put after its disk step: the slave step follows (R-CL-03)."""
    return WAITS_FOR_SLAVE_CHECK


@overridable
def compute_phase_after_slave(cluster: Cluster) -> int:
    """The phase of a put after its slave step, the last one."""
    return ANSWERED


def is_past_disk_step(cluster: Cluster, put: Message) -> bool:
    """The disk step of the put is over, whether it comes first or last."""
    return (put.phase >= compute_phase_after_disk(cluster)) & (put.phase <= ANSWERED)


def is_past_slave_step(cluster: Cluster, put: Message) -> bool:
    """The slave step of the put is over: it is answered, or only its disk step remains."""
    is_disk_last = compute_phase_after_slave(cluster) == WAITS_FOR_DISK
    return (put.phase == ANSWERED) | (is_disk_last & (put.phase == WAITS_FOR_DISK))


def has_passed_slave_step(cluster: Cluster, put: Message) -> bool:
    """A waiting put's slave step succeeded: it is acknowledged, or needs only the disk step."""
    is_ok = (put.status == PUT_OK) & put.waits_for_store
    return is_past_slave_step(cluster, put) & is_ok


@overridable
def compute_disk_timeout_status(cluster: Cluster, put: Message) -> int:
    """The status of a put whose disk step has failed: no other step has failed before."""
    return FLUSH_DISK_TIMEOUT


@overridable
def has_check_left(cluster: Cluster, put: Message) -> bool:
    """The group commit checks before each flush, and not after the second one (R-FL-04)."""
    return put.disk_flushes < DISK_FLUSHES_MAX


@overridable
def has_no_check_left(cluster: Cluster, put: Message) -> bool:
    """Two flushes have been made, and their result is not checked (R-FL-04)."""
    return put.disk_flushes == DISK_FLUSHES_MAX


def advance(cluster: Cluster, message: int, **changes: Any) -> Cluster:
    """The cluster with one followed put changed."""
    put = evolve(cluster.messages[message], **changes)
    return evolve(cluster, messages=replace_at(cluster.messages, message, put))


@overridable
def count_phases_left(cluster: Cluster, put: Message) -> int:
    """The largest number of phases between a put and its answer."""
    return maximum(0, ANSWERED - put.phase)


def time_out_disk(cluster: Cluster, message: int) -> Cluster:
    """The cluster after the disk step of a put has failed."""
    status = compute_disk_timeout_status(cluster, cluster.messages[message])
    return advance(cluster, message, phase=compute_phase_after_disk(cluster), status=status)


def finish_slave_step(cluster: Cluster, message: int, **changes: Any) -> Cluster:
    """The cluster after the slave step of a put has ended."""
    return advance(cluster, message, phase=compute_phase_after_slave(cluster), **changes)


def abandon_pending_puts(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages after the master's process has ended: waiting puts are never answered."""
    return tuple(evolve(m, phase=choose(is_pending(m), UNANSWERED, m.phase)) for m in messages)


@overridable
def wake_group_transfer(cluster: Cluster, is_woken: bool) -> tuple[Message, ...]:
    """The messages after a wake-up of the group transfer, counted for the put it is serving."""
    return tuple(
        evolve(
            m,
            wake_ups=choose(
                is_woken & is_waiting_for_slave(m) & is_at_head_of_line(cluster, i),
                minimum(m.wake_ups + 1, TRANSFER_WAKE_UPS_MAX),
                m.wake_ups,
            ),
        )
        for i, m in enumerate(cluster.messages)
    )


@rule(
    who="master",
    source="DefaultMessageStore#putMessage, CommitLog#putMessage",
    weight=1,
    says="m{number}: refused",
)
def refuse_put(cluster: Cluster, message: int) -> RuleBody:
    """The master refuses a put and writes nothing: stopping, disk full, busy, too large.

    Only the stop is part of the state; other causes are left open, so a put may always be refused.
    """
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_next_message=is_next_message(cluster, message),
    )
    status = yield between("status", SERVICE_NOT_AVAILABLE, UNKNOWN_ERROR)
    # EFFECT
    return advance(cluster, message, phase=REFUSED, status=status)


@rule(
    who="master",
    source="GroupCommitService#doCommit",
    heals="put",
    says="m{number}: flush to {state.master.log.flushed_offset}",
)
def flush_for_put(cluster: Cluster, message: int) -> RuleBody:
    """The group commit finds a put's bytes unflushed and flushes one file for it.

    If retention has deleted the file at ``flushedWhere``, both flushes find none and move nothing
    (``MappedFileQueue#findMappedFileByOffset``, R-CL-09). The put is refused as by a time-out.
    """
    put, master = cluster.messages[message], cluster.master
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        has_disk_wait=has_disk_wait(cluster, put),
        is_not_flushed=negate(is_flushed(cluster, put)),
        has_flush_left=put.disk_flushes < DISK_FLUSHES_MAX,
        is_flush_file_there=is_flush_file_there(master.log),
    )
    # EFFECT
    flushed = evolve(master, log=flush(master.log, compute_cached_end(cluster), cluster.parameters))
    counted = advance(cluster, message, disk_flushes=put.disk_flushes + 1)
    return evolve(counted, master=flushed)


@rule(
    who="master",
    source="CommitLog#handleDiskFlush, GroupCommitService#doCommit",
    heals="put",
    says="m{number}: disk step done",
)
def answer_disk_wait(cluster: Cluster, message: int) -> RuleBody:
    """The disk step succeeds: no disk wait applies, or the check finds the bytes flushed."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        is_flushed_where_asked=negate(has_disk_wait(cluster, put)) | is_flushed(cluster, put),
        has_check_left=has_check_left(cluster, put),
    )
    # EFFECT
    return advance(cluster, message, phase=compute_phase_after_disk(cluster))


@rule(
    who="master",
    source="GroupCommitService#doCommit",
    heals="put",
    is_last_resort=True,
    says="m{number}: two flushes used up",
)
def give_up_disk_wait(cluster: Cluster, message: int) -> RuleBody:
    """The second flush is not checked: FLUSH_DISK_TIMEOUT, although the bytes may be flushed."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        has_disk_wait=has_disk_wait(cluster, put),
        has_no_flush_left=has_no_check_left(cluster, put),
    )
    # EFFECT
    return time_out_disk(cluster, message)


@rule(
    who="master",
    source="CommitLog#handleDiskFlush, GroupCommitRequest#waitForFlush",
    weight=1,
    heals="put",
    is_last_resort=True,
    says="m{number}: disk wait times out",
)
def time_out_disk_wait(cluster: Cluster, message: int) -> RuleBody:
    """The disk wait times out; the put still proceeds to the slave step.

    Also two flushes that find no file end it so; they take no time.
    """
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_disk=put.phase == WAITS_FOR_DISK,
        has_disk_wait=has_disk_wait(cluster, put),
    )
    # EFFECT
    return time_out_disk(cluster, message)


@rule(who="master", source="CommitLog#handleHA", heals="put", says="m{number}: waits for no slave")
def skip_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """The put does not wait for a slave: it is answered with the status of the disk step."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_no_slave_wait=has_no_slave_wait(cluster, put),
    )
    # EFFECT
    return finish_slave_step(cluster, message)


@rule(
    who="master",
    source="CommitLog#handleHA, HAService#isSlaveOK",
    heals="put",
    says="m{number}: no slave available",
)
def refuse_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """No connection, or the slave is too far behind: SLAVE_NOT_AVAILABLE; the message stays."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_slave_wait=has_slave_wait(cluster, put),
        is_slave_not_ok=negate(is_slave_ok(cluster, put)),
    )
    # EFFECT
    return finish_slave_step(cluster, message, status=SLAVE_NOT_AVAILABLE)


@rule(
    who="master",
    source="CommitLog#handleHA, GroupTransferService#putRequest",
    heals="put",
    says="m{number}: waits for a slave",
)
def request_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """A slave is connected and close enough: the put waits until its end offset is reported."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave_check=put.phase == WAITS_FOR_SLAVE_CHECK,
        has_slave_wait=has_slave_wait(cluster, put),
        is_slave_ok=is_slave_ok(cluster, put),
    )
    # EFFECT
    turn = compute_next_turn(cluster.messages)
    return advance(cluster, message, phase=WAITS_FOR_SLAVE, transfer_turn=turn)


@rule(
    who="master",
    source="GroupTransferService#doWaitTransfer",
    heals="put",
    is_last_resort=True,
    says="m{number}: a second without a report",
)
def wait_one_second(cluster: Cluster, message: int) -> RuleBody:
    """The group transfer waits a second for the put it is serving, in vain: one more wake-up."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=is_waiting_for_slave(put),
        is_at_head_of_line=is_at_head_of_line(cluster, message),
        is_not_reported=negate(is_reported(cluster, put)),
        has_wake_up_left=put.wake_ups < TRANSFER_WAKE_UPS_MAX,
    )
    # EFFECT
    return advance(cluster, message, wake_ups=put.wake_ups + 1)


@rule(
    who="master",
    source="GroupTransferService#doWaitTransfer",
    heals="put",
    says="m{number}: reported by a slave",
)
def answer_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """A slave has reported the end offset: PUT_OK, unless the disk step has failed."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=is_waiting_for_slave(put),
        is_at_head_of_line=is_at_head_of_line(cluster, message),
        is_reported=is_reported(cluster, put),
    )
    # EFFECT
    return finish_slave_step(cluster, message)


@rule(
    who="master",
    source="GroupTransferService#doWaitTransfer",
    heals="put",
    is_last_resort=True,
    says="m{number}: five wake-ups used up",
)
def give_up_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """Five wake-ups are used up: FLUSH_SLAVE_TIMEOUT, perhaps within milliseconds (R-HA-21)."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=is_waiting_for_slave(put),
        is_not_reported=negate(is_reported(cluster, put)),
        has_no_wake_up_left=put.wake_ups == TRANSFER_WAKE_UPS_MAX,
    )
    # EFFECT
    return finish_slave_step(cluster, message, status=FLUSH_SLAVE_TIMEOUT)


@rule(
    who="master",
    source="CommitLog#handleHA, GroupCommitRequest#waitForFlush",
    weight=1,
    heals="put",
    is_last_resort=True,
    says="m{number}: slave wait times out",
)
def time_out_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """The put's own timeout ends its wait for a slave: FLUSH_SLAVE_TIMEOUT; the message stays."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(is_waiting_for_slave=is_waiting_for_slave(put))
    # EFFECT
    return finish_slave_step(cluster, message, status=FLUSH_SLAVE_TIMEOUT)

"""A controller keeps the SyncStateSet, and elects one of its members when the master is down.

Modelled from the source of 5.3.3. Differs from 4.4.0: the handshake compares the epoch files of
both ends, and a slave truncates to the point up to which they agree, and reports it; a put is
answered when every member of the SyncStateSet has reported it; dispatch stops at the confirm
offset; when the master is down, a member becomes the master in a new epoch, and the old one returns
as its slave. ``ABSTRACTED`` lists what is left out.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import all_of, any_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import Variant
from reference.releases.releases import CONTROLLER, Span
from reference.worlds.replication import faults, lifecycle, replication
from reference.worlds.replication.changes.ack_per_connection import (
    is_connection_needed,
    is_slave_ok,
)
from reference.worlds.replication.changes.epoch_check import choose_log
from reference.worlds.replication.changes.full_log_transfer import compute_first_transfer_start
from reference.worlds.replication.commit_log import is_store_open
from reference.worlds.replication.connection import change_link, open_link
from reference.worlds.replication.dispatch import (
    compute_dispatch_limit,
    is_dispatch_behind,
    mark_readable,
)
from reference.worlds.replication.epochs import (
    MASTER_PLACE,
    NO_EPOCH,
    begin_epoch,
    compute_consistent_point,
    cut_file,
    find_at,
    find_epoch_at,
    find_next_epoch,
    forget_last_entry,
    get_epoch,
    get_file,
    get_place,
    get_sent_starts,
    make_empty_file,
    make_first_files,
    note_epoch,
    put_file,
)
from reference.worlds.replication.lifecycle import (
    begin_life,
    compute_highest_beyond_received,
    compute_lowest_beyond_received,
    compute_recovery_range,
    count_losses,
    end_slave,
    has_lost_sent_bytes,
    has_modelled_life_left,
    has_stale_bytes,
    is_blank_to_cut,
    start_slave,
)
from reference.worlds.replication.lineage import (
    append_bytes,
    append_foreign_bytes,
    compute_scan_end,
    copy_torn_marks,
    is_followed_between,
)
from reference.worlds.replication.mapped_files import (
    compute_file_base,
    compute_last_file_end,
    compute_next_byte_file,
    cut_to,
    open_first_file,
    open_next_file,
)
from reference.worlds.replication.parameters import Flag
from reference.worlds.replication.replication import (
    append_frame,
    begin_transfer,
    compute_frame_max_bytes,
    has_bytes_in_flight,
    is_accepting,
    is_frame_taken,
    is_positioned,
    mark_received,
)
from reference.worlds.replication.state import (
    Cluster,
    CommitLog,
    EpochFile,
    Master,
    Message,
    Slave,
    empty_log,
)
from reference.worlds.replication.sync_state_set import (
    change_member,
    compute_confirm_offset,
    get_report,
    is_master_member,
    is_member,
    is_reported_by_all,
    make_master_alone,
)

ABSTRACTED = (
    "The controller is always available and forgets nothing. A change of the SyncStateSet reaches "
    "it and the master simultaneously; this represents the union that the master waits for. A "
    "controller that does not answer is one that lets a member leave later.",
    "A handshake is one step: a slave is not killed between the truncation of its log and that of "
    "its epoch file.",
    "A slave truncates wherever the lists agree; 5.x refuses an offset at which no record begins "
    "(DefaultMessageStore#truncateFiles), tries again and stays out.",
    "After a power loss an epoch file is as it was, or lacks its last entry. Entries that were cut "
    "off do not come back, though an emptied list is not written (CheckpointFile#write).",
    "allAckInSyncStateSet is true; inSyncReplicas, minInSyncReplicas and totalReplicas are 1; "
    "enableElectUncleanMaster, syncFromLastFile and asyncLearner are false.",
    "With minInSyncReplicas=2 a put would be refused while the master is alone; one appended "
    "before that would still be answered by the master alone.",
    "A broker whose disk is lost returns under another id. A master is not replaced while it runs.",
    "Which member is elected is left open: 5.x takes the one with the highest epoch, then the "
    "highest max offset that the controller knows of (before 5.5.1 their difference overflows "
    "beyond 2 GiB, issue 10578).",
    "The last report over a dead connection is forgotten immediately. While a member is not "
    "connected, the confirm offset is unknown; 5.x keeps the last one.",
    "A member that lags may leave at any time (haMaxTimeSlaveNotCatchup); a slave enters only "
    "while every other member is connected and has reported.",
    "A slave that holds unknown bytes after a failed write is not elected.",
    "A master that returns dispatches all of its log, as in 5.0.0; later releases stop at the "
    "confirm offset that they have stored (issue 6662).",
    "An elected broker is a SYNC_MASTER, whatever brokerRole says "
    "(ReplicasManager#changeToMaster).",
    "A slave dispatches as in 4.4.0, not up to the confirm offset that its master has sent.",
    "If an elected slave's log ends with a blank, the blank survives its next restart.",
)
"""What the rules leave out or assume of controller mode, in one or two sentences each."""

VARIANT = Variant(
    name="controller_mode",
    sentence="All members of the SyncStateSet must report a put; one replaces a master that ends.",
    comes_from="RocketMQ 5.0.0, enableControllerMode with allAckInSyncStateSet=true (V-32, V-33, "
    "V-35, V-36), from the source of 5.3.3; the lying member, the moved start of an epoch and the "
    "frame at an epoch's end are recorded (v533_controller_h, h2, d, e).",
    removes=("create_first_file", "restart_slave_with_stale_bytes"),
    endless=("enter_sync_state_set", "leave_sync_state_set"),
    span=Span("5.0.0", modes=(CONTROLLER,)),
)

VARIANT.override(compute_first_transfer_start)
VARIANT.override(is_slave_ok)
VARIANT.override(is_connection_needed)


@VARIANT.override
def compute_first_sync_state_set(cluster: Cluster) -> tuple[Flag, ...]:
    """The first broker to register is elected: the set has only the master."""
    return make_master_alone(cluster).in_sync_state_set


@VARIANT.override
def compute_first_epoch_files(cluster: Cluster) -> tuple[EpochFile, ...]:
    """The master begins the first epoch at the begin of its log."""
    return make_first_files(cluster)


@VARIANT.override
def has_uncounted_life(cluster: Cluster) -> bool:
    """More log epochs have begun than there were losses: elections began the others."""
    return count_losses(cluster) < cluster.master.ghost_life


@VARIANT.override
def is_slave_always_asked(cluster: Cluster) -> bool:
    """A master that is alone in the set answers on its own (minInSyncReplicas=1)."""
    return False


@VARIANT.override
def get_log_without_seam(cluster: Cluster, slave: int) -> CommitLog:
    """A slave's own log: it was a master's once, or was copied from where it agrees with one."""
    return cluster.slaves[slave].log


@VARIANT.override
def copy_marks(cluster: Cluster, log: CommitLog, start: int) -> CommitLog:
    """An elected slave may have torn records; a slave that copies them has them torn."""
    return copy_torn_marks(log, cluster.master.log, start)


@VARIANT.override
def is_reported(cluster: Cluster, put: Message) -> bool:
    """``GroupTransferService#doWaitTransfer``: every member has reported the message's end."""
    return is_reported_by_all(cluster, put)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: to the confirm offset (V-36)."""
    limit = compute_dispatch_limit(cluster.master.log, cluster.messages)
    return minimum(limit, compute_confirm_offset(cluster))


@VARIANT.override
def compute_epochs_at_master_start(cluster: Cluster) -> tuple[EpochFile, ...]:
    """A master that returns begins its epoch again, where its log ends now.

    The controller tells it the epoch that it had (``ReplicasManager#registerBrokerToController``).
    """
    file, log = get_file(cluster, MASTER_PLACE), cluster.master.log
    begun = begin_master(file, get_epoch(cluster), log, log.max_offset)
    return put_file(cluster, MASTER_PLACE, begun).epoch_files


@VARIANT.override
def compute_epochs_at_slave_start(cluster: Cluster, slave: int) -> tuple[EpochFile, ...]:
    """A new process has been sent no epoch yet; what its file says stays."""
    place = get_place(slave)
    started = evolve(get_file(cluster, place), current_epoch=NO_EPOCH)
    return put_file(cluster, place, started).epoch_files


def begin_master(file: EpochFile, epoch: int, log: CommitLog, end: int) -> EpochFile:
    """The epoch file of a broker with this log, whose role as a master begins at ``end``.

    Entries beyond its end go only if dispatch is behind (``AutoSwitchHAService#changeToMaster``,
    ``#truncateInvalidMsg``). One that stays keeps the new epoch from being recorded.
    """
    cut, is_behind = cut_file(file, end), is_dispatch_behind(log)
    starts = tuple(choose(is_behind, a, b) for a, b in zip(cut.starts, file.starts, strict=True))
    return begin_epoch(evolve(file, starts=starts), epoch, end)


def truncate_log(cluster: Cluster, slave: int, point: int) -> CommitLog:
    """A slave's log up to the consistent point; without any file if that lies below the first."""
    log = cluster.slaves[slave].log
    end = minimum(point, log.max_offset)
    cut, none = cut_to(log, end, cluster.parameters), empty_log(cluster.structure.lives)
    return choose_log(log.start_offset <= end, cut, none)


@VARIANT.override
def is_end_reported(cluster: Cluster, broker: Slave, reported: int) -> bool:
    """A slave reports the consistent point, which may lie above the end of its log."""
    return broker.log.max_offset <= reported


@rule(
    who="slave",
    source="AutoSwitchHAClient#doTruncate, EpochFileCache#findConsistentPoint at 5.3.3",
    into=VARIANT.rules,
    heals="replication",
    says="<~ connects, will report {link.reported_offset}",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects and truncates to the point up to which both epoch files agree.

    It reports that point, whatever it holds: a log that ends below the begin of its last epoch
    reports the master's max offset (`v533_controller_h` seq 225). Without such a point it keeps
    retrying, and an operator must intervene (`v533_controller_d`).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    point = compute_consistent_point(cluster, slave)
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_slave_up=broker.is_up,
        is_link_closed=negate(link.is_open),
        has_consistent_point=point >= 0,
    )
    # EFFECT
    place = get_place(slave)
    file = cut_file(get_file(cluster, place), point)
    truncated = evolve(broker, log=truncate_log(cluster, slave, point))
    slaves = replace_at(cluster.slaves, slave, truncated)
    opened = open_link(put_file(evolve(cluster, slaves=slaves), place, file), slave)
    return change_link(opened, slave, reported_offset=point)


@rule(
    who="master",
    source="AutoSwitchHAConnection.WriteSocketService#run at 5.3.3",
    into=VARIANT.rules,
    heals="replication",
    says="will send from {link.next_transfer_offset}",
)
def position_transfer(cluster: Cluster, slave: int) -> RuleBody:
    """The master sets its sending position to the slave's requested offset.

    It has to find that offset in one of its epochs; else it sends nothing that a slave takes.
    """
    link = cluster.links[slave]
    base = compute_next_byte_file(cluster.master.log, cluster.parameters)
    epoch = find_epoch_at(get_sent_starts(cluster), link.slave_request_offset)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_request=link.slave_request_offset >= 0,
        is_not_positioned=negate(is_positioned(link)),
        is_request_taken_as_it_is=(link.slave_request_offset > 0) | (base == 0),
        is_epoch_known=epoch != NO_EPOCH,
    )
    # EFFECT
    return begin_transfer(cluster, slave, link.slave_request_offset)


@rule(
    who="master",
    source="AutoSwitchHAConnection.WriteSocketService#run at 5.3.3",
    into=VARIANT.rules,
    heals="replication",
    says="will send from {link.next_transfer_offset}, first file",
)
def position_at_last_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave that requests 0 is sent everything from the master's first file on.

    The offset has to be in one of the master's epochs.
    """
    link, begin = cluster.links[slave], compute_first_transfer_start(cluster)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        is_request_zero=link.slave_request_offset == 0,
        is_not_positioned=negate(is_positioned(link)),
        has_older_file=compute_next_byte_file(cluster.master.log, cluster.parameters) > 0,
        is_epoch_known=find_epoch_at(get_sent_starts(cluster), begin) != NO_EPOCH,
        is_within_limit=is_within_limit(cluster, "late_joins"),
    )
    # EFFECT
    return count_fault(begin_transfer(cluster, slave, begin), "late_joins")


def find_frame_epoch(cluster: Cluster, slave: int) -> int:
    """The epoch of the next byte that the slave will read."""
    return find_epoch_at(get_sent_starts(cluster), cluster.links[slave].arrived_offset)


def find_epoch_end(cluster: Cluster, slave: int, otherwise: int) -> int:
    """Where the epoch of the next byte ends; ``otherwise`` if it is the master's last one."""
    starts, epoch = get_sent_starts(cluster), find_frame_epoch(cluster, slave)
    return find_at(starts, find_next_epoch(starts, epoch), otherwise)


@rule(
    who="slave",
    source="AutoSwitchHAClient.HAClientReader#processReadResult at 5.3.3",
    into=VARIANT.rules,
    heals="added",
    says="<~ heartbeat of another epoch",
)
def record_epoch_of_heartbeat(cluster: Cluster, slave: int) -> RuleBody:
    """A frame without bytes names an epoch that the slave has not been sent before."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    epoch = find_frame_epoch(cluster, slave)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=broker.is_up,
        is_positioned=is_positioned(link),
        is_frame_taken=is_frame_taken(broker, link),
        has_epoch=epoch != NO_EPOCH,
        is_new=get_file(cluster, get_place(slave)).current_epoch != epoch,
    )
    # EFFECT
    return note_epoch(cluster, slave, epoch)


@VARIANT.override
def compute_log_to_append(cluster: Cluster, slave: int) -> CommitLog:
    """A slave's log with a file that has room: the one that holds the frame's offset, or the next.

    A log without a file begins with the file that contains the frame's offset.
    """
    base = compute_file_base(cluster.links[slave].arrived_offset, cluster.parameters)
    return open_next_file(open_first_file(cluster.slaves[slave].log, base), cluster.parameters)


def is_in_place(cluster: Cluster, slave: int) -> bool:
    """The next frame begins where the slave's log ends, or would end with its first file."""
    return compute_log_to_append(cluster, slave).max_offset == cluster.links[slave].arrived_offset


def keep_report(before: Cluster, after: Cluster, slave: int) -> Cluster:
    """The cluster whose slave reports nothing lower than before (``#reportSlaveMaxOffset``)."""
    reported = before.links[slave].reported_offset
    highest = maximum(reported, after.links[slave].reported_offset)
    return change_link(after, slave, reported_offset=highest)


@rule(
    who="slave",
    source="AutoSwitchHAClient.HAClientReader#processReadResult at 5.3.3",
    into=VARIANT.rules,
    heals="replication",
    says="<~ appends {size_bytes} B, reports",
)
def append_to_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave records the epoch of a frame, appends its bytes and reports its new max offset.

    A frame does not extend beyond its epoch.
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
        is_in_step=is_in_place(cluster, slave),
    )
    longest = compute_frame_max_bytes(cluster, slave)
    in_epoch = find_epoch_end(cluster, slave, link.next_transfer_offset) - link.arrived_offset
    size = yield between("size_bytes", 1, minimum(longest, in_epoch))
    # EFFECT
    noted = note_epoch(cluster, slave, find_frame_epoch(cluster, slave))
    return keep_report(cluster, append_frame(noted, slave, size), slave)


@rule(
    who="slave",
    source="AutoSwitchHAClient.HAClientReader#processReadResult, CommitLog#appendData at 5.3.3",
    into=VARIANT.rules,
    heals="replication",
    says="<~ {size_bytes} B at a wrong offset, reports {link.reported_offset}",
)
def append_at_wrong_offset(cluster: Cluster, slave: int) -> RuleBody:
    """A slave whose max offset is 0 takes bytes of any offset, as in 4.4.0 (R-HC-20).

    It has lost all bytes, but not its epoch file, and has reported a point above its end.
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
        is_out_of_step=negate(is_in_place(cluster, slave)),
    )
    size = yield between("size_bytes", 1, compute_frame_max_bytes(cluster, slave))
    # EFFECT
    begun = compute_log_to_append(cluster, slave)
    longer = append_bytes(begun, cluster.master.ghost_life, size)
    log = evolve(longer, ghost_unknown_below_offset=longer.max_offset)
    noted = note_epoch(cluster, slave, find_frame_epoch(cluster, slave))
    appended = evolve(noted, slaves=replace_at(cluster.slaves, slave, evolve(broker, log=log)))
    return change_link(
        appended,
        slave,
        arrived_offset=link.arrived_offset + size,
        reported_offset=maximum(link.reported_offset, log.max_offset),
        has_reported=True,
    )


def note_dropped_frame(before: Cluster, after: Cluster, slave: int, is_next_named: int) -> Cluster:
    """The cluster whose slave has read frames and recorded their epoch, though it has no bytes.

    The last frame of an epoch may name the next one.
    """
    starts, epoch = get_sent_starts(before), find_frame_epoch(before, slave)
    noted = note_epoch(after, slave, epoch)
    end = find_epoch_end(before, slave, before.links[slave].next_transfer_offset + 1)
    is_reached = (is_next_named == 1) & (end <= after.links[slave].arrived_offset)
    following = choose(is_reached, find_next_epoch(starts, epoch), NO_EPOCH)
    return note_epoch(noted, slave, following)


@rule(
    who="slave",
    source="AutoSwitchHAClient.HAClientReader#processReadResult at 5.3.3",
    into=VARIANT.rules,
    says="<~ drops {size_bytes} B",
)
def discard_frame(cluster: Cluster, slave: int) -> RuleBody:
    """A stopping slave reads a frame, records its epoch and drops its bytes (R-HC-08)."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    dropped: Cluster = yield from replication.discard_frame(cluster, slave)
    is_next_named = yield between("is_next_named", 0, 1)
    return note_dropped_frame(cluster, dropped, slave, is_next_named)


@rule(
    who="fault",
    source="MappedFileQueue#getLastMappedFile (null), EpochFileCache#appendEntry at 5.3.3",
    into=VARIANT.rules,
    says="## NO FILE, drops {size_bytes} B",
)
def fail_file_creation(cluster: Cluster, slave: int) -> RuleBody:
    """A slave cannot create the file that a frame needs; it has recorded the frame's epoch."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    dropped: Cluster = yield from faults.fail_file_creation(cluster, slave)
    is_next_named = yield between("is_next_named", 0, 1)
    return note_dropped_frame(cluster, dropped, slave, is_next_named)


@rule(
    who="fault",
    source="MappedFile#appendMessage (FileChannel#write throws), EpochFileCache#appendEntry",
    into=VARIANT.rules,
    says="## {size_bytes} B NOT WRITTEN",
)
def swallow_append_error(cluster: Cluster, slave: int) -> RuleBody:
    """A slave fails to write a frame, continues as if it were written, and records its epoch."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    spoilt: Cluster = yield from faults.swallow_append_error(cluster, slave)
    return keep_report(cluster, note_dropped_frame(cluster, spoilt, slave, 0), slave)


@rule(
    who="fault",
    source="kill -9 of a slave between EpochFileCache#appendEntry and the append at 5.3.3",
    into=VARIANT.rules,
    says="## KILLED, has recorded an epoch that it has no bytes of",
)
def kill_slave_in_frame(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's process is killed after it recorded a frame's epoch, before it appended its bytes.

    The last frame of an epoch names the next one, which begins where the frame ends
    (`v533_controller_e` seq 101). So the file then has an epoch that begins above the log's end.
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    starts, epoch = get_sent_starts(cluster), find_frame_epoch(cluster, slave)
    end = find_epoch_end(cluster, slave, link.next_transfer_offset + 1)
    batch = cluster.parameters.ha_transfer_batch_size_bytes
    file_end = compute_file_base(link.arrived_offset, cluster.parameters)
    file_end += cluster.parameters.mapped_file_size_bytes
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        is_frame_taken=is_frame_taken(broker, link),
        is_last_frame_of_epoch=all_of(
            has_bytes_in_flight(link),
            end <= minimum(link.next_transfer_offset, file_end),
            end - link.arrived_offset <= batch,
        ),
        is_within_limit=is_within_limit(cluster, "slave_kills"),
    )
    # EFFECT
    noted = note_epoch(cluster, slave, find_next_epoch(starts, epoch))
    return count_fault(end_slave(noted, slave, broker.log), "slave_kills")


@rule(
    who="master",
    source="AutoSwitchHAService#maybeExpandInSyncStateSet at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} is in the SyncStateSet now",
)
def enter_sync_state_set(cluster: Cluster, slave: int) -> RuleBody:
    """A slave has reported the confirm offset in its last epoch: from now on puts wait for it.

    While the master is alone in the set, the confirm offset is the end of its log.
    """
    report, confirmed = get_report(cluster.links[slave]), compute_confirm_offset(cluster)
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_outside=negate(is_member(cluster, slave)),
        has_reported=report >= 0,
        is_confirm_offset_known=confirmed >= 0,
        has_confirmed=confirmed <= report,
        is_in_last_epoch=all_of(*(s <= report for s in get_file(cluster, MASTER_PLACE).starts)),
    )
    # EFFECT
    return change_member(cluster, get_place(slave), is_in=True)


@rule(
    who="master",
    source="AutoSwitchHAService#removeConnection, #maybeShrinkInSyncStateSet at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} is out of the SyncStateSet",
)
def leave_sync_state_set(cluster: Cluster, slave: int) -> RuleBody:
    """A member whose connection has ended, or that lags for too long, leaves the set.

    Until then puts wait for it, and it may be elected. A stopping master makes no more changes.
    """
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_member=is_member(cluster, slave),
        is_behind=get_report(cluster.links[slave]) < cluster.master.log.max_offset,
    )
    # EFFECT
    return change_member(cluster, get_place(slave), is_in=False)


def make_master(cluster: Cluster, log: CommitLog) -> Cluster:
    """The cluster whose master is a broker with this log, which continues in a new epoch.

    All of the log is dispatched before the first put; flushed bytes stay flushed.
    """
    dispatched = evolve(log, dispatched_offset=log.max_offset)
    elected = Master(
        log=dispatched,
        is_sync=cluster.master.is_sync,
        ghost_life=cluster.master.ghost_life,
    )
    return make_master_alone(begin_life(evolve(cluster, master=elected), dispatched))


def make_slave(cluster: Cluster, slave: int) -> Cluster:
    """The cluster in which the old master takes this slave's place; it is down."""
    old = cluster.master
    broker = Slave(log=old.log, is_up=False, has_abort_file=old.has_abort_file)
    messages = mark_received(cluster.messages, old.log)
    slaves = replace_at(cluster.slaves, slave, broker)
    old_file = evolve(get_file(cluster, MASTER_PLACE), current_epoch=NO_EPOCH)
    exchanged = put_file(cluster, get_place(slave), old_file)
    return evolve(exchanged, slaves=slaves, messages=messages)


@rule(
    who="controller",
    source="ReplicasInfoManager#electMaster, AutoSwitchHAService#changeToMaster at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} elected: they change places",
)
def elect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The master is down: a member of the SyncStateSet becomes the master, in a new epoch.

    It cuts an incomplete record from its log's end and is alone in the set. The old master takes
    its place among the slaves: in the model, master and slave exchange their logs.
    """
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_master_down=negate(cluster.master.is_up),
        is_slave_running=is_accepting(broker),
        is_member=is_member(cluster, slave),
        is_content_known=broker.log.ghost_unknown_below_offset == 0,
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    lowest, highest = compute_recovery_range(cluster, slave)
    recovered = yield between("recovered_offset", lowest, highest)
    # EFFECT
    end = compute_scan_end(broker.log, cluster.messages, recovered)
    elected = cut_to(broker.log, end, cluster.parameters)
    file, epoch = get_file(cluster, get_place(slave)), get_epoch(cluster) + 1
    begun = begin_master(file, epoch, broker.log, end)
    exchanged = make_master(make_slave(cluster, slave), elected)
    readable = mark_readable(exchanged.messages, exchanged.master.log)
    return put_file(evolve(exchanged, messages=readable), MASTER_PLACE, begun)


@rule(
    who="master",
    source="ReplicasManager#registerBrokerToController (it is the master still) at 5.0.0",
    into=VARIANT.rules,
    heals="recovery",
    says="starts again",
)
def restart_master(cluster: Cluster) -> RuleBody:
    """The master returns before an election, and stays the master with the log that it has.

    A broker that the set does not know, because its disk was lost, does not get that far.
    """
    # ENABLED WHEN
    yield when(
        is_master_down=negate(cluster.master.is_up),
        is_known=is_master_member(cluster),
        is_no_blank_to_cut=negate(is_blank_to_cut(cluster)),
    )
    # EFFECT
    return lifecycle.start_master(cluster)


@rule(
    who="slave",
    source="CommitLog#recoverNormally, #recoverAbnormally, EpochFileCache at 5.0.0",
    into=VARIANT.rules,
    says="starts again, takes bytes up to {recovered_offset} for records",
)
def restart_slave_beyond_received(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's recovery takes a torn record for whole, or reads on into truncated bytes.

    They join its last epoch, so the next handshake does not distinguish them from bytes that its
    master has or appends there (issue 10666).
    """
    broker = cluster.slaves[slave]
    is_stale = has_stale_bytes(broker.log) & has_lost_sent_bytes(cluster)
    lowest = compute_lowest_beyond_received(cluster, slave)
    torn_end = compute_highest_beyond_received(cluster, slave)
    file_end = compute_last_file_end(broker.log, cluster.parameters)
    highest = choose(is_stale, file_end, torn_end)
    # ENABLED WHEN
    yield when(is_slave_down=negate(broker.is_up), has_torn_record=lowest <= highest)
    recovered = yield between("recovered_offset", lowest, highest)
    # EFFECT
    is_followed = is_followed_between(cluster.messages, broker.log.max_offset, recovered)
    is_beyond_master = cluster.master.log.max_offset < recovered
    longer = append_foreign_bytes(
        broker.log, recovered, is_followed=any_of(is_followed, is_beyond_master)
    )
    return start_slave(cluster, slave, longer)


def make_empty_disk(cluster: Cluster, place: int) -> EpochFile:
    """The epoch file of a broker whose disk is new; the controller still counts its epoch."""
    empty = make_empty_file(cluster.structure.lives)
    return evolve(empty, current_epoch=get_file(cluster, place).current_epoch)


@rule(
    who="fault",
    source="loss of the master's disk, and with it of brokerIdentity; BrokerMetadata at 5.0.0",
    into=VARIANT.rules,
    says="## DISK LOST",
)
def lose_master_disk(cluster: Cluster) -> RuleBody:
    """The master's disk is lost, and with it the id by which the SyncStateSet knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_disk(cluster)
    emptied = put_file(lost, MASTER_PLACE, make_empty_disk(lost, MASTER_PLACE))
    return change_member(emptied, MASTER_PLACE, is_in=False)


@rule(
    who="fault",
    source="removal of a stopped slave's store directory, with brokerIdentity, at 5.0.0",
    into=VARIANT.rules,
    says="## STORE WIPED",
)
def wipe_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a slave that is down is emptied, with the id by which the set knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    wiped: Cluster = yield from faults.wipe_slave(cluster, slave)
    place = get_place(slave)
    return change_member(put_file(wiped, place, make_empty_disk(wiped, place)), place, is_in=False)


def forget_if(cluster: Cluster, place: int, is_forgotten: int) -> Cluster:
    """The cluster in which a broker's epoch file may lack its last entry."""
    file = get_file(cluster, place)
    older = forget_last_entry(file)
    starts = tuple(
        choose(is_forgotten == 1, a, b) for a, b in zip(older.starts, file.starts, strict=True)
    )
    return put_file(cluster, place, evolve(file, starts=starts))


@rule(
    who="fault",
    source="power loss of the master's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {state.master.log.max_offset} B",
)
def lose_master_power(cluster: Cluster) -> RuleBody:
    """The master's machine loses power; the last entry of its epoch file may be lost too."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_power(cluster)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, MASTER_PLACE, is_forgotten)


@rule(
    who="fault",
    source="power loss of the master's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {kept_offset} B, takes {state.master.log.max_offset} B for whole",
)
def lose_master_power_in_record(cluster: Cluster) -> RuleBody:
    """The master's machine loses power, and its recovery takes a torn record for whole."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_power_in_record(cluster)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, MASTER_PLACE, is_forgotten)


@rule(
    who="fault",
    source="power loss of a slave's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {kept_offset} B",
)
def lose_slave_power(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's machine loses power; the last entry of its epoch file may be lost too."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_slave_power(cluster, slave)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, get_place(slave), is_forgotten)

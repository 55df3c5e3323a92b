"""Frames name an epoch: a slave records it before it appends their bytes, or loses them."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.worlds.replication import faults, replication
from reference.worlds.replication.changes.controller_mode.variant import VARIANT
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.controller.epochs import (
    NO_EPOCH,
    find_at,
    find_epoch_at,
    find_next_epoch,
    get_file,
    get_place,
    get_sent_starts,
    note_epoch,
)
from reference.worlds.replication.lineage import (
    append_bytes,
    copy_torn_marks,
)
from reference.worlds.replication.mapped_files import (
    compute_file_base,
    open_first_file,
    open_next_file,
)
from reference.worlds.replication.replication import (
    append_frame,
    compute_frame_max_bytes,
    has_bytes_in_flight,
    is_accepting,
    is_frame_taken,
    is_positioned,
)
from reference.worlds.replication.state import (
    Cluster,
    CommitLog,
)


@VARIANT.override
def copy_marks(cluster: Cluster, log: CommitLog, start: int) -> CommitLog:
    """An elected slave may have torn records; a slave that copies them has them torn."""
    return copy_torn_marks(log, cluster.master.log, start)


def find_frame_epoch(cluster: Cluster, slave: int) -> int:
    """The epoch that the next frame to the slave names."""
    fixed = get_file(cluster, get_place(slave)).fixed_epoch
    epoch = find_epoch_at(get_sent_starts(cluster), cluster.links[slave].arrived_offset)
    return choose((fixed != NO_EPOCH) & (fixed < epoch), fixed, epoch)


def find_epoch_end(cluster: Cluster, slave: int, otherwise: int) -> int:
    """Where that epoch ends on this connection; ``otherwise`` if it does not."""
    starts, epoch = get_sent_starts(cluster), find_frame_epoch(cluster, slave)
    is_fixed = get_file(cluster, get_place(slave)).fixed_epoch == epoch
    end = find_at(starts, find_next_epoch(starts, epoch), otherwise)
    return choose(is_fixed, otherwise, end)


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

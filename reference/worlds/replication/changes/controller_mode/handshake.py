"""The handshake: epoch files are compared, the slave truncates, the master continues."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import minimum, negate
from reference.language.rule import RuleBody, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.changes.controller_mode.variant import VARIANT
from reference.worlds.replication.changes.epoch_check import choose_log
from reference.worlds.replication.changes.full_log_transfer import compute_first_transfer_start
from reference.worlds.replication.connection import change_link, open_link
from reference.worlds.replication.controller.epochs import (
    NO_EPOCH,
    compute_consistent_point,
    cut_file,
    find_epoch_at,
    get_file,
    get_place,
    get_sent_starts,
    put_file,
)
from reference.worlds.replication.mapped_files import (
    compute_next_byte_file,
    cut_to,
)
from reference.worlds.replication.replication import (
    begin_transfer,
    is_positioned,
)
from reference.worlds.replication.state import (
    Cluster,
    CommitLog,
    Slave,
    empty_log,
)


def truncate_log(cluster: Cluster, slave: int, point: int) -> CommitLog:
    """A slave's log up to the consistent point; without any file if that lies below the first."""
    log = cluster.slaves[slave].log
    end = minimum(point, log.max_offset)
    cut, none = cut_to(log, end, cluster.parameters), empty_log(cluster.structure.lives)
    return choose_log(log.start_offset <= end, cut, none)


@overridable
def compute_truncated_log(cluster: Cluster, slave: int, point: int) -> CommitLog:
    """A slave's log after the handshake; the bytes behind its end stay on the disk."""
    return truncate_log(cluster, slave, point)


@overridable
def compute_first_report(cluster: Cluster, slave: int, point: int) -> int:
    """What a slave reports after the handshake: the consistent point, whatever it holds."""
    return point


def truncate_slave(cluster: Cluster, slave: int, point: int) -> Cluster:
    """The cluster in which a slave has truncated its log and its epoch file to this point."""
    place = get_place(slave)
    log = compute_truncated_log(cluster, slave, point)
    broker = evolve(cluster.slaves[slave], log=log)
    changed = evolve(cluster, slaves=replace_at(cluster.slaves, slave, broker))
    return put_file(changed, place, cut_file(get_file(cluster, place), point))


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
    retrying, and an operator must intervene (`v533_controller_d` seq 137 and 147).
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
    place, truncated = get_place(slave), truncate_slave(cluster, slave, point)
    file = evolve(get_file(truncated, place), fixed_epoch=NO_EPOCH)
    opened = open_link(put_file(truncated, place, file), slave)
    reported = compute_first_report(truncated, slave, point)
    return change_link(opened, slave, reported_offset=reported)


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

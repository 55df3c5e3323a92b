"""A controller keeps the SyncStateSet, and elects one of its members when the master is down.

Modelled from the source of 5.x, not yet compared with recordings. Differs from 4.4.0: the handshake
compares epochs, and a slave truncates what its master does not have; a put is answered when every
member of the SyncStateSet has reported it; dispatch stops at the confirm offset; when the master is
down, a member becomes the master in a new epoch, and the old one returns as its slave. An epoch of
5.x is modelled as a log epoch (`life` in the code). ``ABSTRACTED`` lists what is left out.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import any_of, choose, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import Variant
from reference.releases.releases import CONTROLLER, Span
from reference.worlds.replication.changes.ack_per_connection import (
    is_connection_needed,
    is_slave_ok,
)
from reference.worlds.replication.changes.epoch_check import compute_truncated_log, has_common_end
from reference.worlds.replication.changes.full_log_transfer import compute_first_transfer_start
from reference.worlds.replication.commit_log import is_store_open
from reference.worlds.replication.connection import open_link
from reference.worlds.replication.dispatch import compute_dispatch_limit, mark_readable
from reference.worlds.replication.faults import lose_master_disk as lose_disk
from reference.worlds.replication.faults import wipe_slave as wipe_store
from reference.worlds.replication.lifecycle import (
    begin_life,
    compute_highest_beyond_received,
    compute_lowest_beyond_received,
    compute_recovery_range,
    count_losses,
    has_lost_sent_bytes,
    has_modelled_life_left,
    has_stale_bytes,
    is_blank_to_cut,
    start_master,
    start_slave,
)
from reference.worlds.replication.lineage import (
    append_foreign_bytes,
    compute_scan_end,
    copy_torn_marks,
    is_followed_between,
)
from reference.worlds.replication.mapped_files import compute_last_file_end, cut_to
from reference.worlds.replication.parameters import Flag
from reference.worlds.replication.replication import is_accepting, mark_received
from reference.worlds.replication.state import Cluster, CommitLog, Master, Message, Slave
from reference.worlds.replication.sync_state_set import (
    MASTER_PLACE,
    change_member,
    compute_confirm_offset,
    compute_epoch_start,
    get_place,
    get_report,
    is_master_member,
    is_member,
    is_reported_by_all,
    make_master_alone,
)

ABSTRACTED = (
    "The controller is always available and forgets nothing. A change of the SyncStateSet reaches "
    "it and the master simultaneously; this represents the union that the master waits for.",
    "Epochs distinguish any two histories, and a master that returns with fewer bytes begins a "
    "new one. In 5.x a master that restarts without an election gives its epoch another start, and "
    "an epoch that begins where the one before it does is not recorded "
    "(EpochFileCache#appendEntry; issue 9689 and pull request 9942 are about such lists).",
    "Retention makes two lists of epochs incomparable only for a slave that joined after it; in "
    "5.x it moves the start of the first epoch (EpochFileCache#truncatePrefixByOffset).",
    "Bytes that a slave truncates are gone; in 5.x they are still on the disk (issue 10666).",
    "allAckInSyncStateSet is true; inSyncReplicas, minInSyncReplicas and totalReplicas are 1; "
    "enableElectUncleanMaster, syncFromLastFile and asyncLearner are false.",
    "With minInSyncReplicas=2 a put would be refused while the master is alone; one appended "
    "before that would still be answered by the master alone.",
    "A controller that sees its master again before an election keeps it; a broker whose disk "
    "is lost returns under another id.",
    "The last report over a dead connection is forgotten immediately.",
    "A member that lags may leave at any time (haMaxTimeSlaveNotCatchup); a slave enters only "
    "while every other member is connected and has reported.",
    "A slave that holds unknown bytes after a failed write is not elected.",
    "A slave whose first file is empty does not take a frame at a foreign offset (R-HC-20).",
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
    "V-35, V-36), from source, not yet compared with recordings.",
    removes=(
        "create_first_file",
        "append_at_wrong_offset",
        "restart_slave_with_stale_bytes",
    ),
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


@rule(
    who="slave",
    source="AutoSwitchHAClient#doTruncate, EpochFileCache#findConsistentPoint at 5.0.0",
    into=VARIANT.rules,
    heals="replication",
    says="<~ connects",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects and truncates to the last common point; if there is none, it stays out.

    It then keeps retrying, and an operator must intervene.
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_slave_up=broker.is_up,
        is_link_closed=negate(link.is_open),
        has_consistent_point=has_common_end(cluster, slave),
    )
    # EFFECT
    truncated = evolve(broker, log=compute_truncated_log(cluster, slave))
    slaves = replace_at(cluster.slaves, slave, truncated)
    return open_link(evolve(cluster, slaves=slaves), slave)


@rule(
    who="master",
    source="AutoSwitchHAService#maybeExpandInSyncStateSet at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} is in the SyncStateSet now",
)
def enter_sync_state_set(cluster: Cluster, slave: int) -> RuleBody:
    """A slave has reported the confirm offset in the current epoch: from now on puts wait for it.

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
        is_in_present_epoch=compute_epoch_start(cluster) <= report,
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
    return evolve(cluster, slaves=slaves, messages=messages)


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
    exchanged = make_master(make_slave(cluster, slave), elected)
    readable = mark_readable(exchanged.messages, exchanged.master.log)
    return evolve(exchanged, messages=readable)


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
    return start_master(cluster)


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


@rule(
    who="fault",
    source="loss of the master's disk, and with it of brokerIdentity; BrokerMetadata at 5.0.0",
    into=VARIANT.rules,
    says="## DISK LOST",
)
def lose_master_disk(cluster: Cluster) -> RuleBody:
    """The master's disk is lost, and with it the id by which the SyncStateSet knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from lose_disk(cluster)
    return change_member(lost, MASTER_PLACE, is_in=False)


@rule(
    who="fault",
    source="removal of a stopped slave's store directory, with brokerIdentity, at 5.0.0",
    into=VARIANT.rules,
    says="## STORE WIPED",
)
def wipe_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a slave that is down is emptied, with the id by which the set knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    wiped: Cluster = yield from wipe_store(cluster, slave)
    return change_member(wiped, get_place(slave), is_in=False)

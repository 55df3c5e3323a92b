"""Who is the master, and in which epoch: elections, and brokers that return."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import any_of, choose, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.language.variant import overridable
from reference.worlds.replication import lifecycle
from reference.worlds.replication.changes.controller_mode.variant import VARIANT
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    NO_EPOCH,
    begin_epoch,
    choose_entries,
    cut_file,
    get_epoch,
    get_file,
    get_place,
    make_first_files,
    put_file,
)
from reference.worlds.replication.controller.sync_state_set import (
    is_master_member,
    is_member,
    make_master_alone,
)
from reference.worlds.replication.dispatch import (
    is_dispatch_behind,
    mark_readable,
)
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
    make_old_master_slave,
    start_slave,
)
from reference.worlds.replication.lineage import (
    append_foreign_bytes,
    compute_scan_end,
    is_followed_between,
)
from reference.worlds.replication.mapped_files import (
    compute_last_file_end,
    cut_to,
)
from reference.worlds.replication.replication import (
    is_accepting,
)
from reference.worlds.replication.state import (
    Cluster,
    CommitLog,
    EpochFile,
    Master,
)


@VARIANT.override
def compute_first_epoch_files(cluster: Cluster) -> tuple[EpochFile, ...]:
    """The master begins the first epoch at the begin of its log."""
    return make_first_files(cluster)


@VARIANT.override
def has_uncounted_life(cluster: Cluster) -> bool:
    """More log epochs have begun than there were losses: elections began the others."""
    return count_losses(cluster) < cluster.master.ghost_life


@VARIANT.override
def get_log_without_seam(cluster: Cluster, slave: int) -> CommitLog:
    """A slave's own log: it was a master's once, or was copied from where it agrees with one."""
    return cluster.slaves[slave].log


@overridable
def read_epoch_file(cluster: Cluster, place: int) -> EpochFile:
    """A broker's epoch file as it starts: recovery cuts its log, and leaves the file alone."""
    return get_file(cluster, place)


@overridable
def begin_old_epoch(cluster: Cluster, file: EpochFile) -> EpochFile:
    """The file of a master that is told its old epoch: that begins again where its log ends now.

    The controller tells it the epoch that it had (``ReplicasManager#registerBrokerToController``).
    """
    log = cluster.master.log
    return begin_master(file, get_epoch(cluster), log, log.max_offset)


@VARIANT.override
def compute_epochs_at_master_start(cluster: Cluster) -> tuple[EpochFile, ...]:
    """A master that returns begins its epoch again."""
    begun = begin_old_epoch(cluster, read_epoch_file(cluster, MASTER_PLACE))
    return put_file(cluster, MASTER_PLACE, begun).epoch_files


@VARIANT.override
def compute_epochs_at_slave_start(cluster: Cluster, slave: int) -> tuple[EpochFile, ...]:
    """A new process has been sent no epoch yet; what its file says stays."""
    place = get_place(slave)
    started = evolve(read_epoch_file(cluster, place), current_epoch=NO_EPOCH)
    return put_file(cluster, place, started).epoch_files


def has_modelled_epoch_left(cluster: Cluster) -> bool:
    """The model has room for one more epoch."""
    return get_epoch(cluster) + 1 < cluster.structure.lives


def begin_master(file: EpochFile, epoch: int, log: CommitLog, end: int) -> EpochFile:
    """The epoch file of a broker with this log, whose role as a master begins at ``end``.

    Entries beyond its end go only if dispatch is behind (``AutoSwitchHAService#changeToMaster``,
    ``#truncateInvalidMsg``). One that stays keeps the new epoch from being recorded.
    """
    left = choose_entries(is_dispatch_behind(log), cut_file(file, end), file)
    return begin_epoch(left, epoch, end)


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
    """The cluster in which the old master takes this slave's place, with its epoch file."""
    old_file = EpochFile(starts=get_file(cluster, MASTER_PLACE).starts)
    return put_file(make_old_master_slave(cluster, slave), get_place(slave), old_file)


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
        has_modelled_epoch_left=has_modelled_epoch_left(cluster),
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
    who="controller",
    source="ReplicasInfoManager#electMaster, ReplicasManager#brokerElect at 5.3.3",
    into=VARIANT.rules,
    heals="recovery",
    says="starts again, elected again",
)
def restart_master_in_next_epoch(cluster: Cluster) -> RuleBody:
    """The controller has noticed that the master was away, had no other, and elects it again.

    Its new epoch begins at its log's end (`v533_controller_b` seq 132); it is alone in the set.
    """
    # ENABLED WHEN
    yield when(
        is_master_down=negate(cluster.master.is_up),
        is_known=is_master_member(cluster),
        is_no_blank_to_cut=negate(is_blank_to_cut(cluster)),
        has_modelled_epoch_left=has_modelled_epoch_left(cluster),
    )
    # EFFECT
    file = evolve(get_file(cluster, MASTER_PLACE), current_epoch=get_epoch(cluster) + 1)
    return make_master_alone(lifecycle.start_master(put_file(cluster, MASTER_PLACE, file)))


@rule(
    who="slave",
    source="CommitLog#recoverNormally, #recoverAbnormally, EpochFileCache at 5.0.0",
    into=VARIANT.rules,
    says="starts again, takes bytes up to {recovered_offset} for records",
)
def restart_slave_beyond_received(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's recovery takes a torn record for whole, or reads on into truncated bytes.

    They join its last epoch, so the next handshake does not distinguish them from bytes that its
    master has or appends there (issue 10666; `v533_controller_x` seq 284 to 315 after a clean stop,
    `v533_controller_x3` seq 246 after a kill).
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

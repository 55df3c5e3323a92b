"""An administrator's manual steps on the stores of stopped brokers. No broker takes them itself.

They are rules like any other, but no verdict of the tables admits them.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.worlds.replication.changes.controller_mode.losses import make_empty_disk
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    get_file,
    get_place,
    put_file,
)
from reference.worlds.replication.lifecycle import (
    begin_life,
    compute_recovery_range,
    has_modelled_life_left,
    make_old_master_slave,
    start_master,
)
from reference.worlds.replication.lineage import is_prefix
from reference.worlds.replication.mapped_files import cut_to
from reference.worlds.replication.replication import mark_received
from reference.worlds.replication.state import UNKNOWN_OFFSET, Cluster, CommitLog, Master, Slave


def copy_log(log: CommitLog) -> CommitLog:
    """A copy of the log on another machine, where no byte is known to be on disk yet."""
    start = log.start_offset
    return evolve(log, flushed_offset=start, ghost_durable_offset=start)


def copy_epochs(cluster: Cluster, source: int, target: int) -> Cluster:
    """The cluster with one broker's epoch file beside another one's log.

    The file lies in the store directory (MessageStoreConfig#getStorePathEpochFile), and so does
    brokerIdentity, which must not be copied. Without a controller there is none.
    """
    if not cluster.epoch_files:
        return cluster
    copied = evolve(get_file(cluster, target), starts=get_file(cluster, source).starts)
    return put_file(cluster, target, copied)


@rule(who="operator", source="copy of a stopped master's store directory")
def copy_store_to_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a stopped slave is replaced by a copy of its stopped master's."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_slave_down=negate(cluster.slaves[slave].is_up),
        is_no_blank_to_cut=master.trailing_blank_offset == UNKNOWN_OFFSET,
    )
    # EFFECT
    log = copy_log(master.log)
    copied = Slave(log=log, is_up=False, has_abort_file=master.has_abort_file)
    changed = evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, copied),
        messages=mark_received(cluster.messages, log),
    )
    return copy_epochs(changed, MASTER_PLACE, get_place(slave))


@rule(who="operator", source="copy of a stopped slave's store directory")
def copy_store_to_master(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a stopped master is replaced by a slave's, whose log begins with the master's.

    That is so for an empty log, and for one that has lost its end and got no message since.
    """
    master, source = cluster.master, cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_slave_down=negate(source.is_up),
        is_slave_longer=is_prefix(master.log, source.log),
    )
    # EFFECT
    log = copy_log(source.log)
    is_same_end = (master.log.max_offset == log.max_offset) & (
        master.log.last_file_offset == log.last_file_offset
    )
    copied = evolve(
        master,
        log=log,
        has_abort_file=source.has_abort_file,
        trailing_blank_offset=choose(is_same_end, master.trailing_blank_offset, UNKNOWN_OFFSET),
    )
    return copy_epochs(evolve(cluster, master=copied), get_place(slave), MASTER_PLACE)


@rule(who="operator", source="sync on the master's machine")
def sync_master(cluster: Cluster) -> RuleBody:
    """The bytes in the page cache of the master's machine are forced to its disk.

    A start counts all bytes it finds as flushed (R-RC-03). No broker ever forces bytes that a
    killed process or a copy has left in the page cache.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_down=negate(master.is_up))
    # EFFECT
    log = evolve(master.log, ghost_durable_offset=master.log.max_offset)
    return evolve(cluster, master=evolve(master, log=log))


@rule(who="operator", source="removal of epochFileCheckpoint and its backup at 5.3.3")
def remove_epoch_file(cluster: Cluster, slave: int) -> RuleBody:
    """The epoch file of a stopped slave is removed, and its log is left.

    Its next handshake compares nothing, so it continues at its own end
    (AutoSwitchHAClient#doTruncate).
    """
    # ENABLED WHEN
    yield when(
        is_slave_down=negate(cluster.slaves[slave].is_up),
        has_controller=bool(cluster.epoch_files),
    )
    # EFFECT
    place = get_place(slave)
    return put_file(cluster, place, make_empty_disk(cluster, place))


@rule(who="operator", source="BrokerController#initialize with another brokerRole and brokerId")
def promote_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A stopped slave is started as the master, over its own log; the stopped master may return.

    Recovery cuts an incomplete record from its log's end, as at any start. The old master, if it is
    started again, starts as a slave: in the model the two exchange their places. What is written
    from now on is a new epoch of the log, since the old master may have other bytes there.
    """
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_master_down=negate(cluster.master.is_up),
        is_slave_down=negate(broker.is_up),
        is_content_known=broker.log.ghost_unknown_below_offset == 0,
        has_no_controller=not cluster.epoch_files,
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    lowest, highest = compute_recovery_range(cluster, slave)
    recovered = yield between("recovered_offset", lowest, highest)
    # EFFECT
    log = cut_to(broker.log, recovered, cluster.parameters)
    old, exchanged = cluster.master, make_old_master_slave(cluster, slave)
    promoted = Master(log=log, is_up=False, is_sync=old.is_sync, ghost_life=old.ghost_life)
    return start_master(begin_life(evolve(exchanged, master=promoted), log))

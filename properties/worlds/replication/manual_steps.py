"""An administrator's manual steps on the stores of stopped brokers. No broker takes them itself.

They are rules like any other, but no verdict of the tables admits them.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, replace_at, rule, when
from reference.worlds.replication.lineage import is_prefix
from reference.worlds.replication.replication import mark_received
from reference.worlds.replication.state import UNKNOWN_OFFSET, Cluster, CommitLog, Slave


def copy_log(log: CommitLog) -> CommitLog:
    """A copy of the log on another machine, where no byte is known to be on disk yet."""
    start = log.start_offset
    return evolve(log, flushed_offset=start, ghost_durable_offset=start)


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
    return evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, copied),
        messages=mark_received(cluster.messages, log),
    )


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
    return evolve(cluster, master=evolve(master, log=log, has_abort_file=source.has_abort_file))


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

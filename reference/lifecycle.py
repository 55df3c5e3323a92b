"""How brokers stop in order, come back, and change their role at run time.

A stop in order is no fault. A broker that comes back takes its log as it finds it, cut behind the
last whole record; nothing asks other brokers what they have.
"""

from __future__ import annotations

from attrs import evolve

from reference.connection import CLOSED_LINK, close_link
from reference.dispatch import is_dispatch_behind
from reference.fault_account import count_fault, is_within_limit
from reference.lineage import compute_known_boundary, compute_scan_end
from reference.mapped_files import cut_to, flush_all, load
from reference.operations import minimum, negate
from reference.put import abandon_pending_puts
from reference.rule import RuleBody, between, replace_at, rule, when
from reference.state import Cluster, CommitLog, Slave


def end_master(cluster: Cluster) -> Cluster:
    """What the end of the master's process takes with it: memory, connections, waiting puts."""
    master = evolve(
        cluster.master,
        is_up=False,
        is_stopping=False,
        push2_slave_max_offset=0,
        connection_count=0,
    )
    return evolve(
        cluster,
        master=master,
        links=(CLOSED_LINK,) * len(cluster.links),
        messages=abandon_pending_puts(cluster.messages),
    )


def end_slave(cluster: Cluster, slave: int, log: CommitLog) -> Cluster:
    """What the end of a slave's process takes with it: its connection."""
    ended = evolve(cluster.slaves[slave], log=log, is_up=False, is_stopping=False)
    return close_link(evolve(cluster, slaves=replace_at(cluster.slaves, slave, ended)), slave)


@rule(who="master", source="DefaultMessageStore#shutdown")
def begin_master_stop(cluster: Cluster) -> RuleBody:
    """The master begins to stop: from now on its store refuses puts and sends no bytes."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_not_stopping=negate(master.is_stopping))
    # EFFECT
    return evolve(cluster, master=evolve(master, is_stopping=True))


@rule(who="master", source="DefaultMessageStore#shutdown, CommitLog#shutdown")
def finish_master_stop(cluster: Cluster) -> RuleBody:
    """The master has flushed and is gone; the abort file stays if its dispatch is behind."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_stopping=master.is_stopping)
    # EFFECT
    ended = end_master(cluster)
    stopped = evolve(
        ended.master,
        log=flush_all(master.log, cluster.parameters),
        has_abort_file=is_dispatch_behind(master.log),
    )
    return evolve(ended, master=stopped)


@rule(
    who="master", source="DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally"
)
def restart_master(cluster: Cluster) -> RuleBody:
    """The master starts again with the log that it finds."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_down=negate(master.is_up))
    # EFFECT
    started = evolve(master, is_up=True, log=load(master.log), has_abort_file=True)
    return evolve(cluster, master=started)


@rule(who="slave", source="DefaultMessageStore#shutdown")
def begin_slave_stop(cluster: Cluster, slave: int) -> RuleBody:
    """A slave begins to stop: from now on its store takes no bytes, though it reads them."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_up=broker.is_up, is_not_stopping=negate(broker.is_stopping))
    # EFFECT
    stopping = evolve(broker, is_stopping=True)
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, stopping))


@rule(who="slave", source="DefaultMessageStore#shutdown, CommitLog#shutdown")
def finish_slave_stop(cluster: Cluster, slave: int) -> RuleBody:
    """A slave has flushed and is gone; a message in part keeps the abort file there (R-RC-13)."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_up=broker.is_up, is_stopping=broker.is_stopping)
    # EFFECT
    marked = evolve(broker, has_abort_file=is_dispatch_behind(broker.log))
    changed = evolve(cluster, slaves=replace_at(cluster.slaves, slave, marked))
    return end_slave(changed, slave, flush_all(broker.log, cluster.parameters))


@rule(who="slave", source="DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally")
def restart_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave starts again; what is no whole record is cut from its end, a blank too (R-RC-04)."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_down=negate(broker.is_up))
    lowest = compute_known_boundary(broker.log, cluster.messages, cluster.master.log)
    end = compute_scan_end(broker.log, cluster.messages, broker.log.max_offset)
    recovered = yield between("recovered_offset", minimum(lowest, end), end)
    # EFFECT
    log = load(cut_to(broker.log, recovered, cluster.parameters))
    restarted = Slave(log=log)
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, restarted))


@rule(who="operator", source="AdminBrokerProcessor#updateBrokerConfig, BrokerConfig (brokerRole)")
def switch_master_role(cluster: Cluster) -> RuleBody:
    """The role is changed between ASYNC_MASTER and SYNC_MASTER; the next put follows it.

    The change is written to the broker's file, so it outlives a restart.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "role_switches"),
    )
    # EFFECT
    switched = evolve(master, is_sync=negate(master.is_sync))
    return count_fault(evolve(cluster, master=switched), "role_switches")

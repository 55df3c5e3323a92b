"""A slave takes the place of the master, and the master that of the slave.

Under a controller that is a step of a rule. In 4.4.0 it is none: an administrator gives a stopped
broker another ``brokerRole`` and starts it, so the state of replication is edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.tables.read_side import ReadSide
from brokers.recordings.tables.worlds import TableSide, name_address, name_ha_address
from brokers.recordings.view import KnownFacts, ShownBroker
from reference.language.rule import replace_at
from reference.worlds.replication.state import Cluster, Link, Master, Slave

Content = TypeVar("Content")
Known = TypeVar("Known", bound=KnownFacts)

ADDRESS_NAMES = (name_address, name_ha_address)
"""How the two addresses of a broker are written."""


def exchange_logs(cluster: Cluster, slave: int, *, is_sync: bool) -> Cluster:
    """The group in which a slave is the master, both brokers being down.

    What the new master writes is an epoch of its own, since others may have other bytes there.
    """
    old, new = cluster.master, cluster.slaves[slave]
    master = Master(
        new.log,
        is_up=False,
        has_abort_file=new.has_abort_file,
        is_sync=is_sync,
        ghost_life=old.ghost_life + 1,
    )
    demoted = Slave(old.log, is_up=False, has_abort_file=old.has_abort_file)
    return evolve(
        cluster,
        master=master,
        slaves=replace_at(cluster.slaves, slave, demoted),
        links=replace_at(cluster.links, slave, Link()),
    )


def exchange_known(seen: Known, slave: int, names: tuple[str, str]) -> Known:
    """What was seen of brokers, under the names of master and slave exchanged."""
    left = seen.abort_files - {MASTER, slave}
    left |= {MASTER} if slave in seen.abort_files else frozenset()
    left |= {slave} if MASTER in seen.abort_files else frozenset()
    return evolve(
        seen,
        master=seen.slaves[slave],
        slaves=replace_at(seen.slaves, slave, ShownBroker()),
        abort_files=left,
        reads=exchange_reads(seen.reads, *names),
        tables=exchange_tables(seen.tables, *names),
    )


def exchange_tables(side: TableSide, master: str, slave: str) -> TableSide:
    """What is known of the tables of all brokers, with those of these two exchanged."""
    names = {master: slave, slave: master}
    return evolve(
        side,
        worlds=tuple(rename(world, names) for world in side.worlds),
        files=rename(side.files, names),
        killed=frozenset(names.get(name, name) for name in side.killed),
        own_masters=frozenset({slave} if master in side.killed else ()),
        symbols=side.symbols.exchange(
            {name(old): name(new) for old, new in names.items() for name in ADDRESS_NAMES}
        ),
    )


def exchange_reads(side: ReadSide, master: str, slave: str) -> ReadSide:
    """The same of what reads depend on."""
    return evolve(side, nodes=rename(side.nodes, {master: slave, slave: master}))


def rename(table: Mapping[str, Content], names: Mapping[str, str]) -> dict[str, Content]:
    """A table by brokers under other names, in the order that it had."""
    return {names.get(name, name): content for name, content in table.items()}

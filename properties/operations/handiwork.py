"""What an operator does by hand to the store of a broker that is down. No broker does it.

These are rules like any other, in a registry of their own: no verdict of the tables admits them.
A machine that has them runs the procedures of ``spec/operators.md``; a proof shows that copying the
master's store keeps everything that the verdicts rest on.
"""

from __future__ import annotations

from functools import cache, singledispatch
from typing import Any

from attrs import evolve

from reference.consumption.state import Consumption
from reference.consumption.structure import ConsumptionStructure
from reference.delay.state import Delay
from reference.delay.structure import DelayStructure
from reference.lineage import is_prefix
from reference.machine import Instance, Machine
from reference.operations import all_of, negate
from reference.replication import mark_received
from reference.rule import Rule, RuleBody, between, replace_at, replace_broker, rule, when
from reference.state import UNKNOWN_OFFSET, Cluster, CommitLog, Slave
from reference.structure import Structure
from reference.world import count_indexes

ON_LOGS: dict[str, Rule] = {}
"""By hand, on the stores of a master and its slaves."""

ON_PROGRESS: dict[str, Rule] = {}
"""By hand, on the files of consumers' progress."""

ON_DELAY: dict[str, Rule] = {}
"""By hand, on the files of delayed delivery's progress."""


def copy_log(log: CommitLog) -> CommitLog:
    """The same bytes on another machine, where none is known to be on disk yet."""
    start = log.start_offset
    return evolve(log, flushed_offset=start, ghost_durable_offset=start)


@rule(who="operator", source="copy of a stopped master's store directory", into=ON_LOGS)
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


@rule(who="operator", source="copy of a stopped slave's store directory", into=ON_LOGS)
def copy_store_to_master(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a stopped master, whose log the slave's begins with, is replaced by the slave's.

    So it is with an empty log, and with one that has lost its end and got no message since.
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


@rule(who="operator", source="sync on the master's machine", into=ON_LOGS)
def sync_master(cluster: Cluster) -> RuleBody:
    """What the master's machine has in its page cache is forced to its disk.

    A start counts all that it finds as flushed (R-RC-03): what a killed process or a copy has left
    in the page cache no broker forces any more.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_down=negate(master.is_up))
    # EFFECT
    log = evolve(master.log, ghost_durable_offset=master.log.max_offset)
    return evolve(cluster, master=evolve(master, log=log))


@rule(who="operator", source="copy of config/consumerOffset.json", into=ON_PROGRESS)
def copy_progress_to_master(state: Consumption) -> RuleBody:
    """The file of progress of a stopped master is replaced by its slave's."""
    # ENABLED WHEN
    yield when(is_master_down=negate(state.master.is_up))
    # EFFECT
    on_disk = state.slave.progress_on_disk
    return evolve(state, master=evolve(state.master, progress_on_disk=on_disk))


@rule(who="operator", source="mqadmin resetOffsetByTime, consumers stopped", into=ON_PROGRESS)
def reset_progress(state: Consumption) -> RuleBody:
    """The progress of a group without running consumers is set back in the master's table."""
    # ENABLED WHEN
    yield when(is_master_up=state.master.is_up, is_not_running=negate(state.consumer.is_running))
    progress = yield between("progress", 0, state.master.queue_max)
    # EFFECT
    return evolve(state, master=evolve(state.master, progress=progress))


@rule(who="operator", source="removal of config/delayOffset.json and its backup", into=ON_DELAY)
def remove_delay_file(state: Delay, broker: int) -> RuleBody:
    """A slave's file of delayed delivery's progress is removed; a promotion reads it first."""
    # ENABLED WHEN
    yield when(is_not_promoted=all_of(negate(state.is_promoted), broker > 0))
    # EFFECT
    return replace_broker(state, broker, evolve(state.brokers[broker], file=0))


@singledispatch
def get_handiwork(structure: Any) -> dict[str, Rule]:
    """What can be done by hand in a structure's world. Raises TypeError for one without."""
    raise TypeError(f"nothing is done by hand in the world of {structure.name}")


@get_handiwork.register
def _(structure: Structure) -> dict[str, Rule]:
    return ON_LOGS


@get_handiwork.register
def _(structure: ConsumptionStructure) -> dict[str, Rule]:
    return ON_PROGRESS


@get_handiwork.register
def _(structure: DelayStructure) -> dict[str, Rule]:
    return ON_DELAY


class OperatedMachine(Machine):
    """The rules of a structure, and what is done by hand."""

    def __init__(self, structure: Any) -> None:
        super().__init__(structure)
        sizes = count_indexes(structure)
        for each in get_handiwork(structure).values():
            numbers = [(n,) for n in range(sizes[each.indexes[0]])] if each.indexes else [()]
            for instance in (Instance(each, number) for number in numbers):
                self.instances[instance.name] = instance


@cache
def compute_operated_machine(structure: Any) -> OperatedMachine:
    """The machine of a structure with what is done by hand, made once."""
    return OperatedMachine(structure)

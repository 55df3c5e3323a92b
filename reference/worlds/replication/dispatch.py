"""Dispatch (reput): from the commit log to consume queues and index, message by message.

A consumer sees what is dispatched, before any flush and any replication (R-RP-06). The cursor moves
from one whole record to the next. On a slave it waits for the rest of an incomplete record; if
foreign bytes follow, it waits for ever (R-RP-02, R-HC-18).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import any_of, maximum
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.lineage import compute_scan_end, has_message
from reference.worlds.replication.state import Cluster, CommitLog, Message


def compute_dispatch_limit(log: CommitLog, messages: tuple[Message, ...]) -> int:
    """How far dispatch can advance: to the log's end, or to a torn record."""
    return compute_scan_end(log, messages, log.max_offset)


@overridable
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: it waits for neither disk nor slaves (R-RP-06)."""
    return compute_dispatch_limit(cluster.master.log, cluster.messages)


@overridable
def compute_slave_dispatch_limit(cluster: Cluster, slave: int) -> int:
    """How far a slave's dispatch can advance: as far as its own bytes are whole."""
    return compute_dispatch_limit(cluster.slaves[slave].log, cluster.messages)


def is_dispatch_behind(log: CommitLog) -> bool:
    """``DefaultMessageStore#dispatchBehindBytes`` is not 0."""
    return log.dispatched_offset < log.max_offset


@overridable
def is_master_dispatch_behind(cluster: Cluster) -> bool:
    """The same of the master that stops: its abort file stays then (R-RC-13)."""
    return is_dispatch_behind(cluster.master.log)


@overridable
def is_dispatch_file_there(cluster: Cluster, log: CommitLog) -> bool:
    """The file in which dispatch continues still exists.

    Once retention has deleted it, dispatch finds no bytes as long as the process runs. Only from 0
    does it continue at the first file, whichever that is (T4-00462; corrected in 4.5.1).
    """
    return (log.start_offset <= log.dispatched_offset) | (log.dispatched_offset == 0)


def mark_readable(messages: tuple[Message, ...], log: CommitLog) -> tuple[Message, ...]:
    """Ghost bookkeeping: followed messages that the master has now dispatched completely."""
    return tuple(
        evolve(
            m,
            ghost_is_readable=any_of(
                m.ghost_is_readable,
                has_message(log, m) & (m.end_offset <= log.dispatched_offset),
            ),
        )
        for m in messages
    )


def compute_lowest_dispatched(log: CommitLog) -> int:
    """The lowest offset that dispatch can reach next: after a record, or in the first file."""
    return maximum(log.dispatched_offset + 1, log.start_offset)


@rule(
    who="master",
    source="DefaultMessageStore.ReputMessageService#doReput",
    weight=4,
    heals="dispatch",
    says="dispatches to {dispatched_offset}",
)
def dispatch_master(cluster: Cluster) -> RuleBody:
    """The master dispatches one or more messages of its log."""
    master, limit = cluster.master, compute_master_dispatch_limit(cluster)
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_dispatch_file_there=is_dispatch_file_there(cluster, master.log),
        has_whole_record=master.log.dispatched_offset < limit,
    )
    end = yield between("dispatched_offset", compute_lowest_dispatched(master.log), limit)
    # EFFECT
    log = evolve(master.log, dispatched_offset=end)
    messages = mark_readable(cluster.messages, log)
    return evolve(cluster, master=evolve(master, log=log), messages=messages)


@rule(
    who="slave",
    source="DefaultMessageStore.ReputMessageService#doReput",
    weight=4,
    heals="dispatch",
    says="dispatches to {dispatched_offset}",
)
def dispatch_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave dispatches one or more messages of its log, as far as they are whole."""
    broker, limit = cluster.slaves[slave], compute_slave_dispatch_limit(cluster, slave)
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_dispatch_file_there=is_dispatch_file_there(cluster, broker.log),
        has_whole_record=broker.log.dispatched_offset < limit,
    )
    end = yield between("dispatched_offset", compute_lowest_dispatched(broker.log), limit)
    # EFFECT
    log = evolve(broker.log, dispatched_offset=end)
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, evolve(broker, log=log)))

"""Promotion of a slave: its store is started as the master's, and the old one is gone.

4.4.0 does not promote slaves itself. An administrator stops the slave, gives it ``brokerId=0`` and
the master's role, and starts it; the broker that was the master never returns.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.worlds.reading.state import FollowedMessage, QueueBroker
from reference.worlds.replication.state import CommitLog
from reference.worlds.system.state import THE_SLAVE, System


def is_promotable(state: System) -> bool:
    """Both brokers are down: the old master stays down, the other one is about to be promoted."""
    slave = state.cluster.slaves[THE_SLAVE]
    is_there = not state.structure.is_alone
    return is_there and negate(state.cluster.master.is_up) & negate(slave.is_up)


def get_promoted_log(state: System) -> CommitLog:
    """The log with which a promoted slave starts: its own."""
    return state.cluster.slaves[THE_SLAVE].log


def get_promoted_queue(state: System) -> QueueBroker:
    """The queue with which a promoted slave starts, and the progress that it reads: its own.

    It copied its master's progress once a minute (R-MS-01, SlaveSynchronize#syncConsumerOffset).
    """
    slave = state.reading.slave
    return evolve(slave, progress=slave.progress_on_disk)


def compute_promoted_message(state: System) -> FollowedMessage:
    """The followed message as the promoted broker has it: its place is the one in its own queue."""
    message = state.reading.message
    return evolve(message, offset=message.slave_offset, is_on_master=message.is_on_slave)

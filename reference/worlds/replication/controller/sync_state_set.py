"""The SyncStateSet of RocketMQ 5.x: the brokers that have all confirmed bytes.

Modelled from the source of 5.x, compared with recordings of 5.3.3. `Cluster.in_sync_state_set` has
the flag of the broker that is, or was, the master, then those of the slaves. The controller's copy
of the set is assumed to be equal: a change is atomic and never lost.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import all_of, choose, implies, minimum
from reference.language.rule import replace_at
from reference.language.variant import overridable
from reference.worlds.replication.connection import CLOSED_LINK
from reference.worlds.replication.controller.epochs import MASTER_PLACE, get_place
from reference.worlds.replication.state import Cluster, Link, Message


def is_member(cluster: Cluster, slave: int) -> bool:
    """The slave is in the SyncStateSet."""
    return cluster.in_sync_state_set[get_place(slave)]


def is_master_member(cluster: Cluster) -> bool:
    """The broker that is, or was, the master is in the set, under the id that the set knows."""
    return cluster.in_sync_state_set[MASTER_PLACE]


def change_member(cluster: Cluster, place: int, *, is_in: bool) -> Cluster:
    """The cluster with one broker in the set, or out of it."""
    changed = replace_at(cluster.in_sync_state_set, place, is_in)
    return evolve(cluster, in_sync_state_set=changed)


def make_master_alone(cluster: Cluster) -> Cluster:
    """The cluster whose set has only the master, as after each election."""
    slaves = (False,) * len(cluster.slaves)
    return evolve(cluster, in_sync_state_set=(True, *slaves))


def get_report(link: Link) -> int:
    """``AutoSwitchHAConnection.slaveAckOffset``: the last report read; -1 if there is none."""
    return choose(link.is_open, link.slave_ack_offset, CLOSED_LINK.slave_ack_offset)


def is_reported_by_all(cluster: Cluster, put: Message) -> bool:
    """Every slave in the set has reported the message's end; true if it has only the master."""
    return all_of(
        *(
            implies(is_member(cluster, i), put.end_offset <= get_report(link))
            for i, link in enumerate(cluster.links)
        )
    )


@overridable
def compute_confirm_offset(cluster: Cluster) -> int:
    """``AutoSwitchHAService#computeConfirmOffset``: the lowest report of a member.

    This is the master's max offset if it is alone. A report of 0 does not hold it back: only
    ``slaveAckOffset > 0`` counts (``v533_controller_h`` seq 64). It is -1 while a member has no
    connection, or has not reported on it: nothing new is confirmed then.
    """
    end = cluster.master.log.max_offset
    return minimum(
        end,
        *(
            choose(is_member(cluster, i) & (get_report(link) != 0), get_report(link), end)
            for i, link in enumerate(cluster.links)
        ),
    )

"""Phenomena: complaints of reports that break no guarantee, such as a status, a wait, a detour.

Each is a condition on a state, like a difference of releases; a scenario ends where it first holds.
"""

from __future__ import annotations

from properties.language.property import phenomenon
from properties.worlds.replication.convergence import is_replication_at_rest
from properties.worlds.replication.guarantees import slave_is_prefix_of_master
from reference.language.operators import all_of, any_of, negate
from reference.worlds.replication.controller.epochs import compute_consistent_point
from reference.worlds.replication.controller.sync_state_set import get_report, is_member
from reference.worlds.replication.lifecycle import has_uncounted_life
from reference.worlds.replication.lineage import has_message, is_prefix
from reference.worlds.replication.put import is_reported
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_SLAVE_TIMEOUT,
    PUT_OK,
    SLAVE_NOT_AVAILABLE,
    Cluster,
    Message,
)


def is_answered_with(message: Message, status: int) -> bool:
    """The put got this answer."""
    return (message.phase == ANSWERED) & (message.status == status)


def is_any_link_open(cluster: Cluster) -> bool:
    """Some slave is connected."""
    return any_of(*(link.is_open for link in cluster.links))


@phenomenon
def a_put_times_out_on_a_healthy_slave(cluster: Cluster) -> bool:
    """A put is answered FLUSH_SLAVE_TIMEOUT while a connected slave has not reported yet."""
    is_silent = any_of(*(link.is_open & negate(link.has_reported) for link in cluster.links))
    return is_silent & any_of(*(is_answered_with(m, FLUSH_SLAVE_TIMEOUT) for m in cluster.messages))


@phenomenon
def a_put_times_out_behind_another(cluster: Cluster) -> bool:
    """A put queued behind another is answered FLUSH_SLAVE_TIMEOUT although it was reported."""
    return any_of(
        *(
            is_answered_with(m, FLUSH_SLAVE_TIMEOUT)
            & (m.transfer_turn > 1)
            & is_reported(cluster, m)
            for m in cluster.messages
        )
    )


@phenomenon
def a_put_without_slave_is_readable(cluster: Cluster) -> bool:
    """A put answered SLAVE_NOT_AVAILABLE is stored, and consumers can read it."""
    return any_of(
        *(
            is_answered_with(m, SLAVE_NOT_AVAILABLE)
            & m.ghost_is_readable
            & has_message(cluster.master.log, m)
            for m in cluster.messages
        )
    )


@phenomenon
def a_put_misses_a_connected_slave(cluster: Cluster) -> bool:
    """A put is answered SLAVE_NOT_AVAILABLE although a slave is connected."""
    return is_any_link_open(cluster) & any_of(
        *(is_answered_with(m, SLAVE_NOT_AVAILABLE) for m in cluster.messages)
    )


@phenomenon
def a_put_is_confirmed_by_no_slave(cluster: Cluster) -> bool:
    """A SYNC_MASTER answers PUT_OK to a put that did not wait and that no slave has received."""
    return cluster.master.is_sync & any_of(
        *(
            all_of(
                is_answered_with(m, PUT_OK),
                negate(m.waits_for_store),
                negate(m.ghost_is_received),
            )
            for m in cluster.messages
        )
    )


@phenomenon
def a_slave_has_all_of_its_master(cluster: Cluster) -> bool:
    """A connected slave's log ends where its master's does, and not at 0."""
    end = cluster.master.log.max_offset
    pairs = zip(cluster.slaves, cluster.links, strict=True)
    return any_of(
        *(link.is_open & (slave.log.max_offset == end) & (end > 0) for slave, link in pairs)
    )


@phenomenon
def equal_logs_differ_at_rest(cluster: Cluster) -> bool:
    """A group is at rest, both logs end at the same offset, and their bytes differ."""
    end = cluster.master.log.max_offset
    is_level = all_of(*(slave.log.max_offset == end for slave in cluster.slaves))
    return is_level & is_replication_at_rest(cluster) & negate(slave_is_prefix_of_master(cluster))


@phenomenon
def a_member_reported_what_it_lacks(cluster: Cluster) -> bool:
    """A put is answered PUT_OK for a report of a SyncStateSet member that does not have it."""
    if not cluster.in_sync_state_set:
        return False
    return any_of(
        *(
            is_member(cluster, i)
            & (m.end_offset <= get_report(link))
            & is_answered_with(m, PUT_OK)
            & negate(m.ghost_is_received)
            for i, link in enumerate(cluster.links)
            for m in cluster.messages
        )
    )


@phenomenon
def an_elected_master_lacks_what_was_acknowledged(cluster: Cluster) -> bool:
    """A running elected master lacks a message that was answered PUT_OK before its election."""
    return (
        cluster.master.is_up
        & has_uncounted_life(cluster)
        & any_of(
            *(
                is_answered_with(m, PUT_OK)
                & (m.ghost_life < cluster.master.ghost_life)
                & negate(has_message(cluster.master.log, m))
                for m in cluster.messages
            )
        )
    )


@phenomenon
def equal_logs_have_no_consistent_point(cluster: Cluster) -> bool:
    """Both brokers run, their logs are equal and not empty, and the slave can never connect."""
    if not cluster.epoch_files:
        return False
    end = cluster.master.log.max_offset
    return any_of(
        *(
            cluster.master.is_up
            & slave.is_up
            & (end > 0)
            & (slave.log.max_offset == end)
            & is_prefix(slave.log, cluster.master.log)
            & (compute_consistent_point(cluster, i) < 0)
            for i, slave in enumerate(cluster.slaves)
        )
    )

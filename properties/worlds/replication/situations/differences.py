"""Differences between releases that a producer or an operator can observe.

Verdicts are about losses; these are about answers and connections: the status that a put can get,
and when. Each is a state of a synchronous pair with SYNC_FLUSH that, release by release, a schedule
reaches or that is proved impossible. They are in the order in which a put meets them.
"""

from __future__ import annotations

from collections.abc import Callable

from properties.language.healing import is_possible
from properties.language.property import aid, difference
from properties.worlds.replication.convergence import is_replication_at_rest
from properties.worlds.replication.situations.witnesses import a_slave_is_ahead
from reference.language.machine import Instance, compute_machine
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.put import (
    has_disk_wait,
    is_flushed,
    is_past_disk_step,
    is_pending,
    is_reported,
)
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_SLAVE_TIMEOUT,
    PUT_OK,
    SLAVE_NOT_AVAILABLE,
    WAITS_FOR_SLAVE,
    Cluster,
    Message,
)


def can_happen(
    cluster: Cluster, rule: str, condition: Callable[[Message], bool] | None = None
) -> bool:
    """The rule is possible; with a condition, for some followed put that satisfies it."""
    instances = compute_machine(cluster.structure).instances.values()

    def holds(instance: Instance) -> bool:
        return condition is None or condition(cluster.messages[instance.indexes[0]])

    return any_of(*(is_possible(i, cluster) & holds(i) for i in instances if i.rule.name == rule))


def is_free_of(cluster: Cluster, *faults: str) -> bool:
    """None of these faults has happened."""
    return all_of(*(getattr(cluster.faults, name) == 0 for name in faults))


def is_lied_about(cluster: Cluster, message: Message) -> bool:
    """A connected slave has reported the put's end, although no slave has received the put."""
    is_claimed = any_of(
        *(link.is_open & (message.end_offset <= link.slave_ack_offset) for link in cluster.links)
    )
    is_missing = negate(message.ghost_is_received | message.ghost_is_expired)
    return is_claimed & is_reported(cluster, message) & is_missing


@difference
def a_flushed_put_times_out_on_disk(cluster: Cluster) -> bool:
    """A put can be answered FLUSH_DISK_TIMEOUT although its bytes count as flushed."""
    return can_happen(cluster, "give_up_disk_wait", lambda m: is_flushed(cluster, m))


@difference
def a_slave_is_asked_before_the_flush(cluster: Cluster) -> bool:
    """A put whose disk step has not failed waits for a slave although it is not flushed yet."""
    return any_of(
        *(
            (m.phase == WAITS_FOR_SLAVE)
            & (m.status == PUT_OK)
            & has_disk_wait(cluster, m)
            & negate(is_flushed(cluster, m))
            for m in cluster.messages
        )
    )


@difference
def a_put_is_slave_not_available(cluster: Cluster) -> bool:
    """A put is answered SLAVE_NOT_AVAILABLE, without any wait."""
    return any_of(
        *((m.phase == ANSWERED) & (m.status == SLAVE_NOT_AVAILABLE) for m in cluster.messages)
    )


@difference
def a_put_waits_without_any_connection(cluster: Cluster) -> bool:
    """A put begins to wait for a slave although none is connected."""
    is_alone = cluster.master.connection_count == 0
    return can_happen(cluster, "request_slave_wait") & is_alone


@difference
def a_synchronous_put_asks_no_slave(cluster: Cluster) -> bool:
    """A SYNC_MASTER answers a waiting producer without looking at any slave."""
    return can_happen(
        cluster, "skip_slave_wait", lambda m: m.waits_for_store & cluster.master.is_sync
    )


@difference
def reports_use_up_the_wait(cluster: Cluster) -> bool:
    """Reports that do not reach a put's end can end its wait: a time-out in milliseconds."""
    return can_happen(cluster, "give_up_slave_wait")


@difference
def a_reported_put_times_out(cluster: Cluster) -> bool:
    """A put can be answered FLUSH_SLAVE_TIMEOUT although its end is reported by then."""
    return can_happen(cluster, "time_out_slave_wait", lambda m: is_reported(cluster, m))


@difference
def a_report_outlives_its_connection(cluster: Cluster) -> bool:
    """A put can be answered by a report whose connection the master knows to be gone."""
    is_alone = cluster.master.connection_count == 0
    return can_happen(cluster, "answer_slave_wait") & is_alone


@difference
def a_put_waits_although_its_slave_has_reported_it(cluster: Cluster) -> bool:
    """A connected slave holds a put and has reported its end, and the put still waits."""
    return any_of(
        *(
            (m.phase == WAITS_FOR_SLAVE)
            & negate(is_reported(cluster, m))
            & link.is_open
            & (m.end_offset <= link.slave_ack_offset)
            & has_message(slave.log, m)
            for m in cluster.messages
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@difference
def a_slave_ahead_is_disconnected(cluster: Cluster) -> bool:
    """The master can close the connection of a slave that has more bytes than the master."""
    return can_happen(cluster, "refuse_later_report")


@difference
def a_slave_ahead_rests_connected(cluster: Cluster) -> bool:
    """A group is at rest, and a slave has more bytes than its master."""
    return is_replication_at_rest(cluster) & a_slave_is_ahead(cluster)


@difference
def a_slave_ahead_answers_a_put(cluster: Cluster) -> bool:
    """First false acknowledgement: a slave reports other bytes, beyond the master's lost tail."""
    is_cause = is_free_of(
        cluster,
        "late_joins",
        "swallowed_disk_errors",
        "alien_reports",
        "master_disk_losses",
        "slave_power_losses",
        "slave_wipes",
    )
    return is_cause & can_happen(cluster, "answer_slave_wait", lambda m: is_lied_about(cluster, m))


@difference
def an_empty_slave_answers_a_put(cluster: Cluster) -> bool:
    """Second false acknowledgement, without any failure: an empty slave joins at a rollover."""
    is_cause = is_free_of(
        cluster,
        "master_power_losses",
        "master_disk_losses",
        "torn_rolls",
        "swallowed_disk_errors",
        "alien_reports",
        "slave_power_losses",
        "slave_wipes",
        "slave_kills",
        "link_cuts",
        "master_kills",
    )
    return is_cause & can_happen(cluster, "answer_slave_wait", lambda m: is_lied_about(cluster, m))


@difference
def an_unflushed_message_is_readable(cluster: Cluster) -> bool:
    """With SYNC_FLUSH, a consumer can read a message that is not flushed."""
    log = cluster.master.log
    return any_of(
        *(
            has_message(log, m) & m.ghost_is_readable & (log.flushed_offset < m.end_offset)
            for m in cluster.messages
        )
    )


@aid
def past_disk_step_counts_as_flushed(cluster: Cluster) -> bool:
    """A put that waits, and whose disk step is over and has not failed, is flushed."""
    return all_of(
        *(
            implies(
                is_pending(m)
                & is_past_disk_step(cluster, m)
                & has_disk_wait(cluster, m)
                & (m.status == PUT_OK),
                is_flushed(cluster, m),
            )
            for m in cluster.messages
        )
    )


@aid
def nobody_waits_for_a_slave(cluster: Cluster) -> bool:
    """No put waits for a slave, or has waited for one in vain."""
    return all_of(
        *(
            (m.phase != WAITS_FOR_SLAVE) & (m.status != FLUSH_SLAVE_TIMEOUT)
            for m in cluster.messages
        )
    )


@aid
def nobody_misses_a_slave(cluster: Cluster) -> bool:
    """No put is answered SLAVE_NOT_AVAILABLE."""
    return all_of(*(m.status != SLAVE_NOT_AVAILABLE for m in cluster.messages))


@aid
def nothing_unflushed_is_dispatched(cluster: Cluster) -> bool:
    """The master's dispatch is not ahead of its flush."""
    return cluster.master.log.dispatched_offset <= cluster.master.log.flushed_offset


@aid
def readable_is_dispatched(cluster: Cluster) -> bool:
    """A message that could be read on the master and is still there is dispatched."""
    log = cluster.master.log
    return all_of(
        *(
            implies(
                m.ghost_is_readable & has_message(log, m), m.end_offset <= log.dispatched_offset
            )
            for m in cluster.messages
        )
    )

"""Who is in the SyncStateSet, and what waits for its members: puts and dispatch."""

from __future__ import annotations

from reference.language.leaves import Flag
from reference.language.operators import all_of, minimum, negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.replication.changes.ack_per_connection import (
    is_connection_needed,
    is_slave_ok,
)
from reference.worlds.replication.changes.controller_mode.variant import VARIANT
from reference.worlds.replication.changes.full_log_transfer import compute_first_transfer_start
from reference.worlds.replication.commit_log import is_store_open
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    get_file,
    get_place,
)
from reference.worlds.replication.controller.sync_state_set import (
    change_member,
    compute_confirm_offset,
    get_report,
    is_member,
    is_reported_by_all,
    make_master_alone,
)
from reference.worlds.replication.dispatch import (
    compute_dispatch_limit,
)
from reference.worlds.replication.state import (
    Cluster,
    Message,
)

VARIANT.override(compute_first_transfer_start)
VARIANT.override(is_slave_ok)
VARIANT.override(is_connection_needed)


@VARIANT.override
def compute_first_sync_state_set(cluster: Cluster) -> tuple[Flag, ...]:
    """The first broker to register is elected: the set has only the master."""
    return make_master_alone(cluster).in_sync_state_set


@VARIANT.override
def is_slave_always_asked(cluster: Cluster) -> bool:
    """A master that is alone in the set answers on its own (minInSyncReplicas=1)."""
    return False


@VARIANT.override
def is_reported(cluster: Cluster, put: Message) -> bool:
    """``GroupTransferService#doWaitTransfer``: every member has reported the message's end."""
    return is_reported_by_all(cluster, put)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: to the confirm offset (V-36)."""
    limit = compute_dispatch_limit(cluster.master.log, cluster.messages)
    return minimum(limit, compute_confirm_offset(cluster))


@VARIANT.override
def is_master_dispatch_behind(cluster: Cluster) -> bool:
    """Dispatch is behind the confirm offset (``ReputMessageService#behind`` at 5.0.0).

    A tail that no member has reported does not keep the abort file (`v533_controller_x` seq 120).
    """
    return cluster.master.log.dispatched_offset < compute_confirm_offset(cluster)


@rule(
    who="master",
    source="AutoSwitchHAService#maybeExpandInSyncStateSet at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} is in the SyncStateSet now",
)
def enter_sync_state_set(cluster: Cluster, slave: int) -> RuleBody:
    """A slave has reported the confirm offset in its last epoch: from now on puts wait for it.

    While the master is alone in the set, the confirm offset is the end of its log.
    """
    report, confirmed = get_report(cluster.links[slave]), compute_confirm_offset(cluster)
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_outside=negate(is_member(cluster, slave)),
        has_reported=report >= 0,
        is_confirm_offset_known=confirmed >= 0,
        has_confirmed=confirmed <= report,
        is_in_last_epoch=all_of(*(s <= report for s in get_file(cluster, MASTER_PLACE).starts)),
    )
    # EFFECT
    return change_member(cluster, get_place(slave), is_in=True)


@rule(
    who="master",
    source="AutoSwitchHAService#removeConnection, #maybeShrinkInSyncStateSet at 5.0.0",
    into=VARIANT.rules,
    heals="added",
    says="slave {number} is out of the SyncStateSet",
)
def leave_sync_state_set(cluster: Cluster, slave: int) -> RuleBody:
    """A member whose connection has ended, or that lags for too long, leaves the set.

    Until then puts wait for it, and it may be elected. A stopping master makes no more changes.
    """
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_member=is_member(cluster, slave),
        is_behind=get_report(cluster.links[slave]) < cluster.master.log.max_offset,
    )
    # EFFECT
    return change_member(cluster, get_place(slave), is_in=False)

"""A controller's master refuses puts while it is alone: ``minInSyncReplicas=2``.

Differs from controller mode: ``CommitLog#asyncPutMessage`` counts the
SyncStateSet before it appends a message whose producer waits, and answers
IN_SYNC_REPLICAS_NOT_ENOUGH: nothing is stored then, so the model has no step. The set is not
counted again: a put that was appended while it had two members is answered by those that are left.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import any_of, choose
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.commit_log import (
    append_to_master,
    compute_first_phase,
    compute_room_bytes,
    is_below_modelled_end,
    is_next_message,
    is_store_open,
    tell_put,
)
from reference.worlds.replication.controller.sync_state_set import is_member
from reference.worlds.replication.state import Cluster, Message

TWO_IN_SYNC = "two_in_sync"

VARIANT = Variant(
    name=TWO_IN_SYNC,
    sentence="A put that waits is refused while the SyncStateSet has fewer than two members.",
    comes_from="RocketMQ 5.0.0 with enableControllerMode=true, allAckInSyncStateSet=true and "
    "minInSyncReplicas=2 (V-32; CommitLog#asyncPutMessage), from source.",
    on="5.0.0-controller",
)


def has_two_in_sync(cluster: Cluster) -> bool:
    """``AutoSwitchHAService#inSyncReplicasNums`` is two or more: the master always is a member."""
    return any_of(*(is_member(cluster, i) for i in range(len(cluster.slaves))))


@rule(
    who="producer",
    source="CommitLog#asyncPutMessage (IN_SYNC_REPLICAS_NOT_ENOUGH) at 5.3.3",
    into=VARIANT.rules,
    weight=4,
    says=tell_put,
)
def append_message(cluster: Cluster, message: int) -> RuleBody:
    """The master appends a message; one whose producer waits, only while a slave is a member."""
    master, parameters = cluster.master, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_next_message=is_next_message(cluster, message),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    size = yield between("size_bytes", 1, compute_room_bytes(master.log, parameters))
    waits = yield between("waits_for_store", 0, choose(has_two_in_sync(cluster), 1, 0))
    # EFFECT
    start = master.log.max_offset
    put = Message(
        phase=compute_first_phase(cluster),
        waits_for_store=waits == 1,
        start_offset=start,
        end_offset=start + size,
        ghost_life=master.ghost_life,
    )
    messages = replace_at(cluster.messages, message, put)
    return evolve(cluster, master=append_to_master(cluster, size), messages=messages)

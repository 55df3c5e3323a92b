"""The producer's side of a put: it stops waiting after 3 s, and may send the message once more.

The broker does not notice: the put continues, and the message stays (R-PR-03, R-CL-18).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.replication.commit_log import (
    append_to_master,
    compute_room_bytes,
    is_below_modelled_end,
    is_store_open,
)
from reference.worlds.replication.put import advance, is_pending
from reference.worlds.replication.state import UNANSWERED, Cluster, Message

COPIES_MAX = 1
"""How often the model lets a producer resend a message: enough for a duplicate."""


def is_outcome_unknown(put: Message) -> bool:
    """The producer got an exception instead of an answer, although the message was appended."""
    return put.has_producer_given_up | (put.phase == UNANSWERED)


@rule(
    who="producer",
    source="DefaultMQProducerImpl#sendDefaultImpl, NettyRemotingClient#invokeSync",
    weight=1,
    says="m{number}: producer gives up",
)
def give_up_send(cluster: Cluster, message: int) -> RuleBody:
    """The producer's own timeout ends its wait, before the broker answers (R-PR-03)."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_pending=is_pending(put),
        is_producer_waiting=negate(put.has_producer_given_up),
    )
    # EFFECT
    return advance(cluster, message, has_producer_given_up=True)


@rule(
    who="producer",
    source="DefaultMQProducerImpl#sendDefaultImpl",
    says="m{number} once more, {size_bytes} B",
)
def send_again(cluster: Cluster, message: int) -> RuleBody:
    """After an unknown outcome, the client or its user sends the message again (R-PR-04)."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_outcome_unknown=is_outcome_unknown(put),
        is_below_modelled_end=is_below_modelled_end(cluster),
        has_copy_left=put.ghost_copies < COPIES_MAX,
    )
    room = compute_room_bytes(cluster.master.log, cluster.parameters)
    size = yield between("size_bytes", 1, room)
    # EFFECT
    counted = advance(cluster, message, ghost_copies=put.ghost_copies + 1)
    return evolve(counted, master=append_to_master(cluster, size))

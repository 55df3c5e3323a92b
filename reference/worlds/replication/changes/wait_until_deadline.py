"""The group transfer waits for a put until a deadline, however often it wakes up.

Differs from 4.4.0: ``GroupTransferService#doWaitTransfer`` checks a clock instead of counting five
wake-ups. Reports that arrive one by one no longer use up the wait of a large message.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="wait_until_deadline",
    sentence="The wait for a slave ends by its deadline, not after five wake-ups.",
    comes_from="RocketMQ 4.6.0 (V-08; v498_big_message_acks_slow_link: every size is PUT_OK).",
    span=Span("4.6.0"),
    removes=("wait_one_second", "give_up_slave_wait"),
)


@VARIANT.override
def wake_group_transfer(cluster: Cluster, is_woken: bool) -> tuple[Message, ...]:
    """The messages after a wake-up of the group transfer, which is not counted."""
    return cluster.messages

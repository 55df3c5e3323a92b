"""The assumptions of the delay proofs about the log, as claims about the log's steps.

Of the two followed messages the first is the delayed one, the second its copy. Nothing is assumed
of the slave's log: the proofs hold whatever happens to it.
"""

from __future__ import annotations

from reference.language.operators import all_of, implies
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.state import Cluster

DELAYED, COPY = 0, 1
"""The places of the two messages."""


def has_on_master(cluster: Cluster, number: int) -> bool:
    """The master's log has the message."""
    return has_message(cluster.master.log, cluster.messages[number])


def master_keeps_what_it_has(before: Cluster, after: Cluster) -> bool:
    """The master loses a message only by retention (``stop_broker``, ``kill_broker``)."""
    return all_of(
        *(
            implies(
                has_on_master(before, number),
                has_on_master(after, number) | after.messages[number].ghost_is_expired,
            )
            for number in (DELAYED, COPY)
        )
    )


def copy_goes_with_its_message(before: Cluster, after: Cluster) -> bool:
    """The master never loses the message while it keeps the later copy (``lose_power``)."""
    had_both = has_on_master(before, DELAYED) & has_on_master(before, COPY)
    has_message_yet = has_on_master(after, DELAYED) | after.messages[DELAYED].ghost_is_expired
    return implies(had_both & has_on_master(after, COPY), has_message_yet)

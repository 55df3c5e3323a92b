"""The durability guarantees: what an operator relies on, in an operator's words.

*Acknowledged* means answered PUT_OK to a message whose producer waits. *Holds* means has every
byte, in page cache or on disk; what a power loss takes is gone at the moment of the power loss.
What retention deletes in its time on any broker is no longer owed; what a full disk makes it delete
before that is.
All guarantees are judged in every state, also while brokers are down.
"""

from __future__ import annotations

from properties.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.replication.lineage import has_equal_bytes, has_message, is_prefix, is_written
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import Cluster, Message


def is_any_acknowledged(cluster: Cluster) -> bool:
    """Some followed message is acknowledged."""
    return any_of(*(is_acknowledged(m) for m in cluster.messages))


def has_expired(message: Message) -> bool:
    """Some broker's retention has deleted the message, not before its time."""
    return message.ghost_is_expired & negate(message.ghost_is_deleted_early)


def is_owed(message: Message) -> bool:
    """The message is acknowledged, and has not expired on any broker."""
    return is_acknowledged(message) & negate(has_expired(message))


def is_any_written(cluster: Cluster) -> bool:
    """Some followed message was appended."""
    return any_of(*(is_written(m) for m in cluster.messages))


def is_read(message: Message) -> bool:
    """A consumer may have read the message on the master, and it has not expired."""
    return message.ghost_is_readable & negate(has_expired(message))


def is_any_read(cluster: Cluster) -> bool:
    """A consumer may have read some followed message."""
    return any_of(*(m.ghost_is_readable for m in cluster.messages))


def is_any_byte_shared(cluster: Cluster) -> bool:
    """The master and some slave hold bytes at a common offset."""
    master = cluster.master.log
    return any_of(
        *(
            (s.log.start_offset < master.max_offset) & (master.start_offset < s.log.max_offset)
            for s in cluster.slaves
        )
    )


def is_any_byte_copied(cluster: Cluster) -> bool:
    """Some slave holds bytes."""
    return any_of(*(s.log.start_offset < s.log.max_offset for s in cluster.slaves))


def is_on_some_slave(cluster: Cluster, message: Message) -> bool:
    """Some slave's log holds the whole message."""
    return any_of(*(has_message(s.log, message) for s in cluster.slaves))


@guarantee(
    why="Consumers read from the master while it is listed (R-CC-01), and nothing copies from a "
    "slave to a master (R-NS-09): what the master lacks, it never gets back.",
    premise=is_any_acknowledged,
)
def acknowledged_is_kept_on_master(cluster: Cluster) -> bool:
    """A message that was answered PUT_OK stays in the master's commit log until it expires."""
    log = cluster.master.log
    return all_of(*(implies(is_owed(m), has_message(log, m)) for m in cluster.messages))


@guarantee(
    why="As long as one broker holds the message it can be read or rescued by hand; when none "
    "does, it is lost for good.",
    premise=is_any_acknowledged,
)
def acknowledged_is_kept_on_some_broker(cluster: Cluster) -> bool:
    """A message that was answered PUT_OK stays on the master or on a slave until it expires."""
    return all_of(
        *(
            implies(
                is_owed(m),
                has_message(cluster.master.log, m) | is_on_some_slave(cluster, m),
            )
            for m in cluster.messages
        )
    )


@guarantee(
    why="Operators choose SYNC_MASTER to survive the loss of one machine at any moment after the "
    "answer.",
    premise=is_any_acknowledged,
)
def acknowledged_is_held_twice(cluster: Cluster) -> bool:
    """A message that was answered PUT_OK is on the master and on a slave, until it expires."""
    return all_of(
        *(
            implies(
                is_owed(m),
                has_message(cluster.master.log, m) & is_on_some_slave(cluster, m),
            )
            for m in cluster.messages
        )
    )


@guarantee(
    why="The answer compares offsets, not contents (R-AK-03): a slave that is ahead of a master "
    "which lost its tail acknowledges messages that it never saw (R-HC-17).",
    premise=is_any_acknowledged,
)
def acknowledgement_is_truthful(cluster: Cluster) -> bool:
    """When a message is answered PUT_OK, a slave has received all of it.

    Judged at the moment of the answer. *Received* means that at this moment or at some moment
    since the put, one slave held every byte of this very message, at least in its page cache;
    what a fault takes from the slave afterwards does not make the answer a lie.
    """
    return all_of(*(implies(is_owed(m), m.ghost_is_received) for m in cluster.messages))


@guarantee(
    why="A slave serves reads when the master is away; what it holds beyond the master's log, "
    "consumers read there and never find on the master again.",
    premise=is_any_byte_copied,
)
def slave_is_prefix_of_master(cluster: Cluster) -> bool:
    """What a slave holds, the master holds too, as far as both logs reach down."""
    return all_of(*(is_prefix(s.log, cluster.master.log) for s in cluster.slaves))


@guarantee(
    why="Offsets are all that brokers and consumers compare. Where the same offset means different "
    "bytes, replication goes on without an error and the logs differ for good (R-HC-17).",
    premise=is_any_byte_shared,
)
def equal_offsets_mean_equal_bytes(cluster: Cluster) -> bool:
    """Wherever master and slave both hold bytes, they hold the same bytes."""
    return all_of(*(has_equal_bytes(s.log, cluster.master.log) for s in cluster.slaves))


@guarantee(
    why="Producers give up after 3 s, before the broker does (R-PR-03), and clients send again "
    "after an unknown outcome (R-PR-04): consumers have to expect duplicates.",
    premise=is_any_written,
)
def message_is_stored_once(cluster: Cluster) -> bool:
    """A message is in the master's commit log at most once."""
    log = cluster.master.log
    return all_of(*(implies(has_message(log, m), m.ghost_copies == 0) for m in cluster.messages))


@guarantee(
    why="A message is dispatched before it is flushed and before any slave has it (R-RP-06): what "
    "a consumer has done with it stays done, and the master never heard of it.",
    premise=is_any_read,
)
def read_is_kept_on_master(cluster: Cluster) -> bool:
    """What consumers could read on the master stays in its commit log until it expires."""
    log = cluster.master.log
    return all_of(*(implies(is_read(m), has_message(log, m)) for m in cluster.messages))


@guarantee(
    why="If no broker has the message any more, nobody can find out what the consumer acted on.",
    premise=is_any_read,
)
def read_is_kept_on_some_broker(cluster: Cluster) -> bool:
    """What consumers could read on the master stays on it or on a slave until it expires."""
    return all_of(
        *(
            implies(is_read(m), has_message(cluster.master.log, m) | is_on_some_slave(cluster, m))
            for m in cluster.messages
        )
    )

"""The durability guarantees that operators rely on, in their words.

*Acknowledged*: the waiting producer got PUT_OK. *Holds*: has every byte, in page cache or on disk;
bytes that a power loss takes are gone at that moment. A message that retention deletes on any
broker at its due time is no longer owed. One that a full disk makes it delete earlier still is. All
guarantees are checked in every state, also while brokers are down.
"""

from __future__ import annotations

from properties.language.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.replication.lineage import has_equal_bytes, has_message, is_prefix, is_written
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import Cluster, Message


def is_any_acknowledged(cluster: Cluster) -> bool:
    """Some followed message is acknowledged."""
    return any_of(*(is_acknowledged(m) for m in cluster.messages))


def has_expired(message: Message) -> bool:
    """Some broker's retention has deleted the message, and not before it was due."""
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
    "slave to a master (R-NS-09): the master never gets back what it lacks.",
    premise=is_any_acknowledged,
)
def acknowledged_is_kept_on_master(cluster: Cluster) -> bool:
    """A message that was answered PUT_OK stays in the master's commit log until it expires."""
    log = cluster.master.log
    return all_of(*(implies(is_owed(m), has_message(log, m)) for m in cluster.messages))


@guarantee(
    why="While one broker holds the message it can be read or rescued by hand; when none does, it "
    "is lost for good.",
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
    why="The master compares offsets, not contents, before it answers (R-AK-03): a slave ahead of "
    "a master that lost its tail acknowledges messages it never received (R-HC-17).",
    premise=is_any_acknowledged,
)
def acknowledgement_is_truthful(cluster: Cluster) -> bool:
    """When a message is answered PUT_OK, a slave has received all of it.

    Checked at the moment of the answer. *Received* means that then, or at some moment since the
    put, one slave held every byte of this very message, at least in its page cache. A later fault
    that takes it from the slave does not make the answer untruthful.
    """
    return all_of(*(implies(is_owed(m), m.ghost_is_received) for m in cluster.messages))


@guarantee(
    why="A slave serves reads while the master is away. Consumers read there what it holds beyond "
    "the master's log, and never find that on the master again.",
    premise=is_any_byte_copied,
)
def slave_is_prefix_of_master(cluster: Cluster) -> bool:
    """A slave's log ends no later than its master's and equals it wherever both hold bytes."""
    return all_of(*(is_prefix(s.log, cluster.master.log) for s in cluster.slaves))


@guarantee(
    why="Brokers and consumers compare nothing but offsets. Where one offset means different "
    "bytes, replication continues without an error and the logs differ for good (R-HC-17).",
    premise=is_any_byte_shared,
)
def equal_offsets_mean_equal_bytes(cluster: Cluster) -> bool:
    """At every offset where the master and a slave both hold bytes, the bytes are the same."""
    return all_of(*(has_equal_bytes(s.log, cluster.master.log) for s in cluster.slaves))


@guarantee(
    why="Producers give up after 3 s, before the broker does (R-PR-03), and clients send again "
    "after an unknown outcome (R-PR-04): consumers must expect duplicates.",
    premise=is_any_written,
)
def message_is_stored_once(cluster: Cluster) -> bool:
    """A message is in the master's commit log at most once."""
    log = cluster.master.log
    return all_of(*(implies(has_message(log, m), m.ghost_copies == 0) for m in cluster.messages))


@guarantee(
    why="A message is dispatched before it is flushed and before any slave has it (R-RP-06): a "
    "consumer may have acted on a message that the master later lacks.",
    premise=is_any_read,
)
def read_is_kept_on_master(cluster: Cluster) -> bool:
    """A message consumers could read on the master stays in its commit log until it expires."""
    log = cluster.master.log
    return all_of(*(implies(is_read(m), has_message(log, m)) for m in cluster.messages))


@guarantee(
    why="If no broker has the message any more, there is no record of what the consumer acted on.",
    premise=is_any_read,
)
def read_is_kept_on_some_broker(cluster: Cluster) -> bool:
    """A message consumers could read on the master stays on it or on a slave until it expires."""
    return all_of(
        *(
            implies(is_read(m), has_message(cluster.master.log, m) | is_on_some_slave(cluster, m))
            for m in cluster.messages
        )
    )

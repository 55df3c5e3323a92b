"""A frame need not fit the slave's last file; one that does not is never appended.

Differs from 4.4.0: with files of two sizes, the slave's ``mapedFileSizeCommitLog`` is no multiple
of its master's. The master ends a frame with a file of its own, so a frame can cross the end of the
slave's. ``MappedFile#appendMessage(byte[])`` then takes nothing, the slave reports nothing and
closes the connection, and the next connection begins with the same frame.

The size of the slave's files is part of a structure (``slave_file_size_bytes``). Claims are judged
without it, by what rest waits for alone. The recovery of such a slave is not described, so every
proof stays open (``one_file_size``).
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.rule import RuleBody, between, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.mapped_files import (
    compute_bytes_left_in_file,
    compute_last_file_end,
    get_slave_sizes,
)
from reference.worlds.replication.replication import (
    compute_log_to_append,
    has_bytes_in_flight,
    is_accepting,
    is_frame_taken,
)
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="frame_beyond_slave_file",
    sentence="A frame that crosses the end of the slave's file is never appended.",
    comes_from="mapedFileSizeCommitLog that differs (slave_file_size_differs seq 119 to 161; "
    "MappedFile#appendMessage(byte[]) at 4.4.0).",
    is_setting=True,
    unawaited=("append_to_slave", "append_at_wrong_offset"),
)


def compute_room_in_slave_file(cluster: Cluster, slave: int) -> int:
    """The bytes that the slave's last file can still take, or a new one if that is full."""
    log = compute_log_to_append(cluster, slave)
    return compute_last_file_end(log, get_slave_sizes(cluster)) - log.max_offset


@rule(
    who="slave",
    source="MappedFile#appendMessage(byte[]), HAClient#dispatchReadRequest",
    into=VARIANT.rules,
    says="<~ no room for {size_bytes} B, drops them",
)
def drop_frame_beyond_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave drops a frame that crosses the end of its file; it reports nothing, and reads on.

    The next frame does not begin where its log ends, so it closes the connection then
    (slave_file_size_differs seq 125 to 128).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    in_flight = link.next_transfer_offset - link.arrived_offset
    in_master_file = compute_bytes_left_in_file(link.arrived_offset, cluster.parameters)
    batch = cluster.parameters.ha_transfer_batch_size_bytes
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
    )
    lowest = compute_room_in_slave_file(cluster, slave) + 1
    size = yield between("size_bytes", lowest, minimum(in_flight, in_master_file, batch))
    # EFFECT
    return change_link(cluster, slave, arrived_offset=link.arrived_offset + size)

"""A broker that starts removes the epochs that begin above the end of its log.

Differs from controller mode: recovery cuts the commit log and the queues, and leaves the epoch file
alone (``DefaultMessageStore#recover``, ``EpochFileCache#initCacheFromFile``). So a broker that lost
bytes may have entries of epochs none of whose bytes it has, and the handshake takes them for
agreement.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode import mastership
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    cut_file,
    get_file,
    get_log,
    get_place,
    put_file,
)
from reference.worlds.replication.state import Cluster, EpochFile

VARIANT = Variant(
    name="epoch_file_cut_at_start",
    sentence="A starting broker removes the epochs that begin above the end of its log.",
    comes_from="This model: v533_controller_h and h2 show a slave whose file kept such an epoch. "
    "Kafka truncates its leader epoch cache to the log's end when it loads a log.",
    on="5.0.0-controller",
)


def cut_to_log(cluster: Cluster, place: int) -> Cluster:
    """The cluster in which no epoch in a broker's file begins above its log's end."""
    cut = cut_file(get_file(cluster, place), get_log(cluster, place).max_offset + 1)
    return put_file(cluster, place, cut)


@VARIANT.override
def compute_epochs_at_master_start(cluster: Cluster) -> tuple[EpochFile, ...]:
    """A master first removes such epochs, then begins its own again."""
    return mastership.compute_epochs_at_master_start(cut_to_log(cluster, MASTER_PLACE))


@VARIANT.override
def compute_epochs_at_slave_start(cluster: Cluster, slave: int) -> tuple[EpochFile, ...]:
    """A slave removes such epochs before any handshake."""
    cut = cut_to_log(cluster, get_place(slave))
    return mastership.compute_epochs_at_slave_start(cut, slave)

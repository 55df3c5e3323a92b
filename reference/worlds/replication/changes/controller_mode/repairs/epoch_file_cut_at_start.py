"""A broker that starts removes the epochs that begin above the end of its log.

Differs from controller mode: recovery cuts the commit log and the queues, and leaves the epoch file
alone (``DefaultMessageStore#recover``, ``EpochFileCache#initCacheFromFile``). So a broker that lost
bytes may have entries of epochs none of whose bytes it has, and the handshake takes them for
agreement.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.controller.epochs import cut_file, get_file, get_log
from reference.worlds.replication.state import Cluster, EpochFile

VARIANT = Variant(
    name="epoch_file_cut_at_start",
    sentence="A starting broker removes the epochs that begin above the end of its log.",
    comes_from="This model: v533_controller_h and h2 show a slave whose file kept such an epoch. "
    "Kafka truncates its leader epoch cache to the log's end when it loads a log.",
    on="5.0.0-controller",
)


@VARIANT.override
def read_epoch_file(cluster: Cluster, place: int) -> EpochFile:
    """A broker's epoch file without what begins above its log's end."""
    return cut_file(get_file(cluster, place), get_log(cluster, place).max_offset + 1)

"""A master that is told its old epoch again keeps the begin of that epoch.

Differs from controller mode: ``AutoSwitchHAService#changeToMaster`` removes the entry of the epoch
that it is told and records it anew at its log's end. Here an entry that is there stays.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode.mastership import begin_master
from reference.worlds.replication.controller.epochs import (
    NO_EPOCH,
    choose_entries,
    find_at,
    get_epoch,
)
from reference.worlds.replication.state import Cluster, EpochFile

VARIANT = Variant(
    name="begin_of_epoch_kept",
    sentence="A master that returns under its old epoch keeps the begin of that epoch.",
    comes_from="This model: in v533_controller_d a slave with equal bytes never connects again.",
    on="5.0.0-controller",
)


@VARIANT.override
def begin_old_epoch(cluster: Cluster, file: EpochFile) -> EpochFile:
    """The file as it is, if it has that epoch; else the epoch begins at the log's end."""
    log, epoch = cluster.master.log, get_epoch(cluster)
    begun = begin_master(file, epoch, log, log.max_offset)
    is_new = find_at(file.starts, epoch, NO_EPOCH) == NO_EPOCH
    return choose_entries(is_new, begun, file)

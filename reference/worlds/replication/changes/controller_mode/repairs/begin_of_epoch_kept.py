"""A master that is told its old epoch again keeps the begin of that epoch.

Differs from controller mode: ``AutoSwitchHAService#changeToMaster`` removes the entry of the epoch
that it is told and records it anew at its log's end. Here an entry that is there stays.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode import mastership
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    NO_EPOCH,
    choose_entries,
    find_at,
    get_epoch,
    get_file,
    put_file,
)
from reference.worlds.replication.state import Cluster, EpochFile

VARIANT = Variant(
    name="begin_of_epoch_kept",
    sentence="A master that returns under its old epoch keeps the begin of that epoch.",
    comes_from="This model: in v533_controller_d a slave with equal bytes never connects again.",
    on="5.0.0-controller",
)


@VARIANT.override
def compute_epochs_at_master_start(cluster: Cluster) -> tuple[EpochFile, ...]:
    """A master that returns under an epoch which its file has leaves the file as it is."""
    kept, epoch = get_file(cluster, MASTER_PLACE), get_epoch(cluster)
    begun = mastership.compute_epochs_at_master_start(cluster)[MASTER_PLACE]
    is_new = find_at(kept.starts, epoch, NO_EPOCH) == NO_EPOCH
    return put_file(cluster, MASTER_PLACE, choose_entries(is_new, begun, kept)).epoch_files

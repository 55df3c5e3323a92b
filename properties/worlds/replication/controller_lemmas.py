"""The lemmas of controller mode: what its epoch files and its elections obey.

What one would like to rely on does not hold there: a slave may report bytes that it does not have,
so that no report says what its log holds (`v533_controller_h` seq 225).
"""

from __future__ import annotations

from properties.language.property import lemma
from reference.language.operators import all_of, implies, negate
from reference.worlds.replication.controller.epochs import NO_EPOCH, get_epoch
from reference.worlds.replication.lifecycle import has_uncounted_life
from reference.worlds.replication.state import Cluster

CONTROLLER_MODE = "controller_mode"


@lemma(CONTROLLER_MODE, why="Else a master without slaves is replaced.")
def without_slaves_nobody_is_elected(cluster: Cluster) -> bool:
    """Where there is no slave, the master stays the same."""
    return bool(cluster.structure.slaves) or negate(has_uncounted_life(cluster))


@lemma(CONTROLLER_MODE, why="Else an election begins an epoch that no file has room for.")
def epoch_is_counted(cluster: Cluster) -> bool:
    """The controller counts no more epochs than the model has room for."""
    return (get_epoch(cluster) >= 0) & (get_epoch(cluster) < cluster.structure.lives)


@lemma(CONTROLLER_MODE, why="Else an entry ends before it begins.")
def entries_of_epochs_rise(cluster: Cluster) -> bool:
    """In every epoch file a later epoch begins at a higher offset."""
    return all_of(
        *(
            (start >= NO_EPOCH)
            & all_of(
                *(
                    implies((start != NO_EPOCH) & (later != NO_EPOCH), start < later)
                    for later in file.starts[epoch + 1 :]
                )
            )
            for file in cluster.epoch_files
            for epoch, start in enumerate(file.starts)
        )
    )


@lemma(CONTROLLER_MODE, why="Else a slave appends bytes that its master never had.")
def bytes_in_flight_are_on_the_master(cluster: Cluster) -> bool:
    """Bytes in flight to a slave end where its master's log does, or before."""
    return all_of(
        *(
            implies(
                link.is_open & (link.arrived_offset < link.next_transfer_offset),
                link.next_transfer_offset <= cluster.master.log.max_offset,
            )
            for link in cluster.links
        )
    )

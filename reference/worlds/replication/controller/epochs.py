"""Epoch files of controller mode: where each epoch of the master begins, on each broker's disk.

From 5.0.0 on, each election begins an epoch. A broker records where it begins as an entry: a master
when its role begins, a slave when a frame of an epoch that it has not been sent before arrives. The
handshake compares these lists alone, not bytes. `Cluster.epoch_files` has the list of the broker
that is, or was, the master first, then those of the slaves; it is empty without a controller.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from reference.language.operators import all_of, any_of, choose, implies, minimum, negate
from reference.language.rule import replace_at
from reference.language.variant import overridable
from reference.worlds.replication.state import Cluster, CommitLog, EpochFile

NO_EPOCH = -1
"""No epoch, or no entry of it."""

MASTER_PLACE = 0
"""Index of the broker that is, or was, the master."""


def get_place(slave: int) -> int:
    """The index of a slave."""
    return slave + 1


def get_log(cluster: Cluster, place: int) -> CommitLog:
    """The commit log of a broker."""
    return cluster.master.log if place == MASTER_PLACE else cluster.slaves[place - 1].log


def get_file(cluster: Cluster, place: int) -> EpochFile:
    """The epoch file of a broker."""
    return cluster.epoch_files[place]


def put_file(cluster: Cluster, place: int, file: EpochFile) -> Cluster:
    """The cluster with another epoch file of one broker."""
    return evolve(cluster, epoch_files=replace_at(cluster.epoch_files, place, file))


def make_empty_file(epochs: int) -> EpochFile:
    """The file of a broker that has recorded no epoch."""
    return EpochFile(starts=(NO_EPOCH,) * epochs)


def make_first_files(cluster: Cluster) -> tuple[EpochFile, ...]:
    """The master has begun the first epoch at offset 0; no slave has recorded anything."""
    epochs = cluster.structure.lives
    first = EpochFile(starts=(0, *(NO_EPOCH,) * (epochs - 1)), current_epoch=0)
    return (first, *(make_empty_file(epochs),) * len(cluster.slaves))


def get_epoch(cluster: Cluster) -> int:
    """``ReplicasManager.masterEpoch``: the current epoch; the controller counts it."""
    return get_file(cluster, MASTER_PLACE).current_epoch


def has_entries(starts: Sequence[int]) -> bool:
    """The list has an entry."""
    return any_of(*(start != NO_EPOCH for start in starts))


def choose_entries(is_new: bool, new: EpochFile, old: EpochFile) -> EpochFile:
    """The old file, with the entries of the new one if that is so."""
    starts = tuple(choose(is_new, a, b) for a, b in zip(new.starts, old.starts, strict=True))
    return evolve(old, starts=starts)


def find_next_start(starts: Sequence[int], epoch: int, otherwise: int) -> int:
    """Where the entry after this one (a static number) begins; ``otherwise`` if it is the last."""
    result = otherwise
    for start in reversed(starts[epoch + 1 :]):
        result = choose(start == NO_EPOCH, result, start)
    return result


def drop_expired(file: EpochFile, log: CommitLog) -> tuple[int, ...]:
    """The entries that retention has left: those that end in the first file or later.

    ``EpochFileCache#truncatePrefixByOffset``; it is computed when entries are used, in place of a
    change at each expiry.
    """
    kept = []
    for epoch, start in enumerate(file.starts):
        is_expired = find_next_start(file.starts, epoch, log.start_offset) < log.start_offset
        kept.append(choose(is_expired, NO_EPOCH, start))
    return tuple(kept)


def compute_unbounded_offset(cluster: Cluster) -> int:
    """``Long.MAX_VALUE``: an offset that no log reaches."""
    return cluster.parameters.ghost_log_size_max_bytes


def compute_end_in_handshake(cluster: Cluster, starts: Sequence[int], epoch: int, end: int) -> int:
    """Where an entry ends: where the next one begins; the last one at the log's end.

    A last entry that begins above the log's end has no end
    (``EpochFileCache#setLastEpochEntryEndOffset``).
    """
    start = starts[epoch]
    last_end = choose(start <= end, end, compute_unbounded_offset(cluster))
    return find_next_start(starts, epoch, last_end)


def compute_consistent_point(cluster: Cluster, slave: int) -> int:
    """``EpochFileCache#findConsistentPoint``: up to where the two lists agree; -1 if nowhere.

    It is where the last epoch that begins at the same offset in both lists ends in one of them. A
    slave without any entry takes its own end for it (``AutoSwitchHAClient#doTruncate``).
    """
    own_log, its_log = get_log(cluster, get_place(slave)), cluster.master.log
    own = drop_expired(get_file(cluster, get_place(slave)), own_log)
    its = drop_expired(get_file(cluster, MASTER_PLACE), its_log)
    result = NO_EPOCH
    for epoch, start in enumerate(own):
        own_end = compute_end_in_handshake(cluster, own, epoch, own_log.max_offset)
        its_end = compute_end_in_handshake(cluster, its, epoch, its_log.max_offset)
        is_common = (start != NO_EPOCH) & (start == its[epoch])
        result = choose(is_common, minimum(own_end, its_end), result)
    is_new = negate(has_entries(own))
    return choose(is_new, own_log.max_offset, result)


def cut_file(file: EpochFile, offset: int) -> EpochFile:
    """The file without entries that begin at ``offset`` or above (``#truncateSuffixByOffset``)."""
    starts = tuple(choose(offset <= start, NO_EPOCH, start) for start in file.starts)
    return evolve(file, starts=starts)


def record_epoch(file: EpochFile, epoch: int, start: int) -> EpochFile:
    """The file with one more entry, unless a later epoch or a higher start is there already.

    ``EpochFileCache#appendEntry`` only logs that it refuses.
    """
    is_later = all_of(*(implies(epoch <= i, s == NO_EPOCH) for i, s in enumerate(file.starts)))
    is_taken = is_later & all_of(*(s < start for s in file.starts))
    starts = tuple(choose(is_taken & (epoch == i), start, old) for i, old in enumerate(file.starts))
    return evolve(file, starts=starts)


def begin_epoch(file: EpochFile, epoch: int, end: int) -> EpochFile:
    """The file of a broker that becomes the master, perhaps again, of an epoch.

    It forgets the entry of the same epoch and records that the epoch begins at its log's end
    (``AutoSwitchHAService#changeToMaster``).
    """
    starts = tuple(choose(epoch <= i, NO_EPOCH, old) for i, old in enumerate(file.starts))
    return record_epoch(evolve(file, starts=starts, current_epoch=epoch), epoch, end)


def find_epoch_at(starts: Sequence[int], offset: int) -> int:
    """The epoch whose entry covers an offset (``#findEpochEntryByOffset``); -1 if none does."""
    result = NO_EPOCH
    for epoch, start in reversed(tuple(enumerate(starts))):
        is_before_next = offset < find_next_start(starts, epoch, offset + 1)
        is_there = (start != NO_EPOCH) & (start <= offset) & is_before_next
        result = choose(is_there, epoch, result)
    return result


def get_sent_starts(cluster: Cluster) -> tuple[int, ...]:
    """The master's entries, by which it names the epochs of frames."""
    return drop_expired(get_file(cluster, MASTER_PLACE), cluster.master.log)


def find_at(values: Sequence[int], epoch: int, otherwise: int) -> int:
    """The value of an epoch; ``otherwise`` for no epoch."""
    result = otherwise
    for i, value in enumerate(values):
        result = choose(epoch == i, value, result)
    return result


def find_next_epoch(starts: Sequence[int], epoch: int) -> int:
    """The epoch of the entry after this one; -1 if it is the last one."""
    result = NO_EPOCH
    for i, start in reversed(tuple(enumerate(starts))):
        result = choose((epoch < i) & (start != NO_EPOCH), i, result)
    return result


def note_epoch(cluster: Cluster, slave: int, epoch: int) -> Cluster:
    """The cluster whose slave has read a frame of an epoch, and records it if it is a new one."""
    file, starts = get_file(cluster, get_place(slave)), get_sent_starts(cluster)
    recorded = record_epoch(file, epoch, find_at(starts, epoch, NO_EPOCH))
    is_new = (epoch != NO_EPOCH) & (file.current_epoch != epoch)
    current = choose(is_new, epoch, file.current_epoch)
    noted = evolve(choose_entries(is_new, recorded, file), current_epoch=current)
    return put_file(cluster, get_place(slave), noted)


def find_last_epoch(starts: Sequence[int]) -> int:
    """The epoch of the last entry; -1 without any."""
    result = NO_EPOCH
    for epoch, start in enumerate(starts):
        result = choose(start != NO_EPOCH, epoch, result)
    return result


@overridable
def fix_epoch(cluster: Cluster, slave: int) -> Cluster:
    """The cluster whose master goes on to name its last epoch on a connection, if it is sending it.

    ``AutoSwitchHAConnection#changeTransferEpochToNext`` looks once whether an epoch is the last.
    """
    link, place = cluster.links[slave], get_place(slave)
    file, starts = get_file(cluster, place), get_sent_starts(cluster)
    last = find_last_epoch(starts)
    is_sent = link.is_open & (find_epoch_at(starts, link.next_transfer_offset) == last)
    is_fixed = is_sent & (last != NO_EPOCH) & (file.fixed_epoch == NO_EPOCH)
    fixed = evolve(file, fixed_epoch=choose(is_fixed, last, file.fixed_epoch))
    return put_file(cluster, place, fixed)


def forget_last_entry(file: EpochFile) -> EpochFile:
    """The file as it was before its last entry was written: nothing forces it to the disk.

    ``CheckpointFile#write`` and ``MixAll#string2File`` at 5.3.3: no ``fsync``, and the previous
    content is kept beside the file.
    """
    starts = []
    for epoch, start in enumerate(file.starts):
        is_last = all_of(*(later == NO_EPOCH for later in file.starts[epoch + 1 :]))
        starts.append(choose(is_last, NO_EPOCH, start))
    return evolve(file, starts=tuple(starts))

"""The files of a commit log: the file of a byte, first and new files, cuts, flushes.

All files have the same size and are named by their base, a multiple of that size. The base of the
last file is part of the state. Only a cut or a flush computes a base from an offset.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose, maximum, minimum, negate, remainder
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import Cluster, CommitLog


def get_slave_sizes(cluster: Cluster) -> Parameters:
    """The sizes by which a slave keeps its log: its master's, but for files of its own size."""
    own = cluster.structure.slave_file_size_bytes
    parameters = cluster.parameters
    return evolve(parameters, mapped_file_size_bytes=own) if own else parameters


def compute_file_base(offset: int, parameters: Parameters) -> int:
    """The base of the file that the byte at ``offset`` lies in."""
    return offset - remainder(offset, parameters.mapped_file_size_bytes)


def compute_last_file_end(log: CommitLog, parameters: Parameters) -> int:
    """One past the last byte that the last file can hold."""
    return log.last_file_offset + parameters.mapped_file_size_bytes


def compute_bytes_left_in_file(offset: int, parameters: Parameters) -> int:
    """How many bytes lie between ``offset`` and the end of its file; at least 1."""
    size = parameters.mapped_file_size_bytes
    return size - remainder(offset, size)


def open_first_file(log: CommitLog, offset: int) -> CommitLog:
    """The log with a file: a log without any gets its first one at ``offset``, a file's base.

    Below that base there is nothing to flush or to lose.
    """
    is_new = negate(log.has_file)
    return evolve(
        log,
        ends=tuple(choose(is_new, offset, end) for end in log.ends),
        start_offset=choose(is_new, offset, log.start_offset),
        last_file_offset=choose(is_new, offset, log.last_file_offset),
        ghost_durable_offset=choose(is_new, offset, log.ghost_durable_offset),
        has_file=True,
    )


def is_last_file_full(log: CommitLog, parameters: Parameters) -> bool:
    """The next byte needs a new file."""
    return log.max_offset == compute_last_file_end(log, parameters)


def is_new_file_needed(log: CommitLog, parameters: Parameters) -> bool:
    """The log has no file, or none with room for another byte."""
    return negate(log.has_file) | is_last_file_full(log, parameters)


def compute_next_byte_file(log: CommitLog, parameters: Parameters) -> int:
    """The base of the file that receives the next byte, whether it exists yet or not."""
    is_full = is_last_file_full(log, parameters)
    return choose(is_full, log.max_offset, log.last_file_offset)


def open_next_file(log: CommitLog, parameters: Parameters) -> CommitLog:
    """The log with one more file, if its last one is full (MappedFileQueue#getLastMappedFile)."""
    return evolve(log, last_file_offset=compute_next_byte_file(log, parameters))


def cut_to(log: CommitLog, end: int, parameters: Parameters) -> CommitLog:
    """The log without its bytes from ``end`` on, and without later files.

    Bytes after ``end`` in its own file stay there and are stale.
    """
    base = maximum(log.start_offset, compute_file_base(end, parameters))
    is_file_last = log.last_file_offset <= end
    in_last_file = maximum(log.stale_end_offset, log.max_offset)
    stale_end = choose(is_file_last, in_last_file, base + parameters.mapped_file_size_bytes)
    return evolve(
        log,
        ends=tuple(minimum(old, end) for old in log.ends),
        last_file_offset=choose(is_file_last, log.last_file_offset, base),
        flushed_offset=minimum(log.flushed_offset, end),
        dispatched_offset=minimum(log.dispatched_offset, end),
        stale_end_offset=stale_end,
        ghost_unknown_below_offset=minimum(log.ghost_unknown_below_offset, end),
        ghost_foreign_start_offset=minimum(log.ghost_foreign_start_offset, end),
        ghost_foreign_end_offset=minimum(log.ghost_foreign_end_offset, end),
        ghost_torn_start_offset=minimum(log.ghost_torn_start_offset, end),
        ghost_torn_end_offset=minimum(log.ghost_torn_end_offset, end),
        ghost_durable_offset=minimum(log.ghost_durable_offset, end),
    )


def is_flush_file_there(log: CommitLog) -> bool:
    """The file in which the flush continues still exists.

    Once retention has deleted the file at ``flushedWhere``, the flush finds no file and does
    nothing as long as the process runs. Only 0 means the first file, whichever that is (R-CL-09).
    """
    return (log.start_offset <= log.flushed_offset) | (log.flushed_offset == 0)


def has_unflushed_bytes(log: CommitLog, cached: int) -> bool:
    """Some bytes in page cache do not count as flushed, and the flush can continue with them.

    ``cached`` is where the bytes in page cache end.
    """
    return is_flush_file_there(log) & (log.flushed_offset < cached)


def is_flush_below_first_file(log: CommitLog) -> bool:
    """Nothing was ever flushed, and the log begins with a later file than the one at 0."""
    return (log.flushed_offset == 0) & (log.start_offset > 0)


def is_first_file_not_full(log: CommitLog, parameters: Parameters) -> bool:
    """The first file has room left: only such a file can have too few new pages.

    ``MappedFile#isAbleToFlush`` takes a full file (``isFull``) whatever number it is asked for.
    """
    return log.max_offset < log.start_offset + parameters.mapped_file_size_bytes


def flush_too_few_pages(log: CommitLog) -> CommitLog:
    """The log after a flush that forces nothing, because its file has too few new pages.

    ``flushedWhere`` becomes the base of the file looked at, plus what was flushed of it. That is
    what it was, but for a flush that looks at the first file because ``flushedWhere`` is 0.
    """
    return evolve(log, flushed_offset=log.start_offset)


def flush(log: CommitLog, cached: int, parameters: Parameters) -> CommitLog:
    """The log after one flush, of only the file in which ``flushedWhere`` lies (R-CL-09).

    ``force`` writes all bytes of that file that are in page cache. Earlier files are on disk if
    this process flushed them. After a kill and a restart they count as flushed and are never
    forced.
    """
    base = compute_file_base(maximum(log.flushed_offset, log.start_offset), parameters)
    end = minimum(cached, base + parameters.mapped_file_size_bytes)
    forced = choose(base <= log.ghost_durable_offset, end, log.ghost_durable_offset)
    durable = maximum(log.ghost_durable_offset, forced)
    return evolve(log, flushed_offset=end, ghost_durable_offset=durable)


def flush_without_effect(log: CommitLog, cached: int, parameters: Parameters) -> CommitLog:
    """The log after a flush whose ``force`` failed: it counts as flushed anyway (R-CL-10)."""
    return evolve(flush(log, cached, parameters), ghost_durable_offset=log.ghost_durable_offset)


def flush_all(log: CommitLog, parameters: Parameters) -> CommitLog:
    """The log after a clean end of its flush service, file by file (R-FL-09)."""
    base = compute_file_base(maximum(log.flushed_offset, log.start_offset), parameters)
    is_flushing = has_unflushed_bytes(log, log.max_offset)
    is_forced = is_flushing & (base <= log.ghost_durable_offset)
    return evolve(
        log,
        flushed_offset=choose(is_flushing, log.max_offset, log.flushed_offset),
        ghost_durable_offset=choose(is_forced, log.max_offset, log.ghost_durable_offset),
    )


def load(log: CommitLog) -> CommitLog:
    """A log as a starting broker sees it: everything found counts as flushed (R-RC-03).

    Dispatch continues at its end; earlier messages are in the consume queues (R-RC-05, R-RC-11).
    """
    return evolve(log, flushed_offset=log.max_offset, dispatched_offset=log.max_offset)

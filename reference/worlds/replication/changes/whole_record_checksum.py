"""A checksum covers the whole record: recovery takes none for whole whose last bytes are missing.

Differs from 4.4.0: there the checksum covers only the body. A blank has no checksum here either, so
one of which eight bytes exist still counts as whole (T1-09848), but its other bytes are undefined.
Whole records of an earlier log epoch (`life` in the code) after a cut have their checksum, and
still return.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import any_of, choose, maximum, minimum
from reference.language.variant import Variant
from reference.worlds.replication.faults import compute_whole_end, is_record_cut
from reference.worlds.replication.lifecycle import (
    compute_torn_record_end,
    has_stale_bytes,
    is_begun,
)
from reference.worlds.replication.lineage import (
    compute_scan_end,
    is_in_lineage,
    is_scanned,
    is_written,
)
from reference.worlds.replication.mapped_files import compute_last_file_end
from reference.worlds.replication.state import Cluster, CommitLog

VARIANT = Variant(
    name="whole_record_checksum",
    sentence="A checksum covers a record's properties too: recovery takes no torn one for whole.",
    comes_from="enabledAppendPropCRC with forceVerifyPropCRC of RocketMQ 5.2.0, on every broker; "
    "both are off by default (CommitLog#checkMessageAndReturnSize).",
)


@VARIANT.override
def compute_recovered_beyond(cluster: Cluster, kept: int, reached: int) -> int:
    """A master's recovery ends before a followed message that is cut at ``kept``."""
    log = cluster.master.log
    is_torn = any_of(
        *(
            is_scanned(log, m) & (m.start_offset < kept) & (kept < m.end_offset)
            for m in cluster.messages
        )
    )
    whole = minimum(log.max_offset, maximum(reached, compute_whole_end(cluster, kept)))
    taken = choose(is_record_cut(cluster, kept), whole, kept)
    return choose(is_torn, compute_scan_end(log, cluster.messages, kept), taken)


@VARIANT.override
def compute_highest_beyond_received(cluster: Cluster, slave: int) -> int:
    """A slave's recovery continues after a torn blank, or into whole records left by a cut."""
    log, source = cluster.slaves[slave].log, cluster.master.log
    file_end = compute_last_file_end(log, cluster.parameters)
    is_stale = has_stale_bytes(log) & (cluster.master.ghost_life == 0)
    whole = minimum(file_end, source.max_offset, log.stale_end_offset)
    result = choose(is_stale, whole, compute_torn_record_end(cluster, slave))
    for put in cluster.messages:
        is_next = is_in_lineage(source, put) & (log.max_offset <= put.start_offset)
        is_cut = is_written(put) & is_next & (result < put.end_offset)
        result = choose(is_cut, minimum(result, put.start_offset), result)
        result = choose(is_begun(log, put), log.max_offset, result)
    return result


@VARIANT.override
def take_for_record(cluster: Cluster, slave: int, end: int) -> CommitLog:
    """The rest of a blank, which is undefined, or the bytes of a whole record of its master."""
    log = cluster.slaves[slave].log
    ends = tuple(choose(old == log.max_offset, end, old) for old in log.ends)
    return evolve(log, ends=ends)

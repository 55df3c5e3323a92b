"""A slave that truncates clears the rest of its file, so that no recovery reads on behind its end.

Differs from controller mode: ``MappedFileQueue#truncateDirtyFiles`` only moves positions, and the
bytes behind them stay valid records (issue 10666). Pull request 10816 overwrites eight bytes there:
the header of the first of these records. A new record of the same length covers that header, and
the record after it counts again (tests/reference/store/test_truncation_marker.py).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose
from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode.handshake import truncate_log
from reference.worlds.replication.state import Cluster, CommitLog

VARIANT = Variant(
    name="stale_bytes_cleared",
    sentence="A slave that truncates clears the rest of its file on the disk.",
    comes_from="Asked for in issue 10666; pull request 10816 clears the next record's header only.",
    on="5.0.0-controller",
)


@VARIANT.override
def compute_truncated_log(cluster: Cluster, slave: int, point: int) -> CommitLog:
    """A slave's log after the handshake; where it was truncated, nothing is left behind its end."""
    log = truncate_log(cluster, slave, point)
    is_cut = log.max_offset < cluster.slaves[slave].log.max_offset
    return evolve(log, stale_end_offset=choose(is_cut, log.max_offset, log.stale_end_offset))

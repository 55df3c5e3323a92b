"""A slave that truncates clears the rest of its file, so that no recovery reads on behind its end.

Differs from controller mode: ``MappedFileQueue#truncateDirtyFiles`` only moves positions, and the
bytes behind them stay valid records (issue 10666). Pull request 10816 overwrites eight bytes there:
the header of the first of these records. A new record of the same length covers that header, and
the record after it counts again (tests/reference/store/test_truncation_marker.py).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import choose
from reference.language.rule import RuleBody, replace_at, rule
from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode import handshake
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="stale_bytes_cleared",
    sentence="A slave that truncates clears the rest of its file on the disk.",
    comes_from="Asked for in issue 10666; pull request 10816 clears the next record's header only.",
    on="5.0.0-controller",
)


@rule(
    who="slave",
    source="AutoSwitchHAClient#doTruncate at 5.3.3, with the rest of the file cleared",
    into=VARIANT.rules,
    heals="replication",
    says="<~ connects, will report {link.reported_offset}",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects; where it truncates, nothing is left after its log's end."""
    # ENABLED WHEN and EFFECT as in controller mode
    connected: Cluster = yield from handshake.connect_slave(cluster, slave)
    before, broker = cluster.slaves[slave].log, connected.slaves[slave]
    is_cut, end = broker.log.max_offset < before.max_offset, broker.log.max_offset
    log = evolve(broker.log, stale_end_offset=choose(is_cut, end, broker.log.stale_end_offset))
    return evolve(connected, slaves=replace_at(connected.slaves, slave, evolve(broker, log=log)))

"""A slave that has connected reports the end of its own log.

Differs from controller mode: after the handshake ``AutoSwitchHAClient#doTruncate`` reports the
consistent point, even if the slave's log ends below it.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.rule import RuleBody, rule
from reference.language.variant import Variant
from reference.worlds.replication.changes.controller_mode import handshake
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="own_end_reported",
    sentence="A slave that has connected reports no more than the end of its own log.",
    comes_from="This model: v533_controller_h seq 225 reports 9744 with 4060 bytes in the log.",
    on="5.0.0-controller",
)


@rule(
    who="slave",
    source="AutoSwitchHAClient#doTruncate at 5.3.3, with MessageStore#getMaxPhyOffset as a bound",
    into=VARIANT.rules,
    heals="replication",
    says="<~ connects, will report {link.reported_offset}",
)
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects, truncates to the consistent point and reports what it has up to there."""
    # ENABLED WHEN and EFFECT as in controller mode
    connected: Cluster = yield from handshake.connect_slave(cluster, slave)
    end = connected.slaves[slave].log.max_offset
    reported = minimum(connected.links[slave].reported_offset, end)
    return change_link(connected, slave, reported_offset=reported)

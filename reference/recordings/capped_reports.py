"""Reports that a master compares with its own log before it believes them.

From 4.9.3 on, and no longer in 5.x, the master reads no report but the first of a connection that
is above its own max offset: it closes the connection (V-15; recordings of 4.9.8, findings 2 and 3).
It compares repeated reports, too.
"""

from __future__ import annotations

from reference.recordings.put_order import demand_max_at_least
from reference.recordings.reports import get_link, read_report
from reference.recordings.state import Blocked, Explanation, name_instance
from reference.worlds.replication.changes import report_capped_from_second


def is_next_report_too_high(explanation: Explanation, slave: int) -> bool:
    """The master will not believe the next report unless its own log grows before."""
    unread = explanation.wires[slave].unread
    is_compared = explanation.plan.version.has(report_capped_from_second.VARIANT)
    if not is_compared or not unread or get_link(explanation, slave).slave_request_offset < 0:
        return False
    return unread[0].offset > explanation.log.max_offset


def read_next_report(explanation: Explanation, slave: int) -> Explanation:
    """The master reads the next report and goes on; its log reaches as far by then."""
    if is_next_report_too_high(explanation, slave):
        offset = explanation.wires[slave].unread[0].offset
        before = explanation
        try:
            explanation = demand_max_at_least(explanation, offset)
        except Blocked as problem:
            raise Blocked(
                f"a later report of {offset} is above the master's max offset "
                f"{before.log.max_offset}, but the master goes on with its connection",
                name_instance("receive_report", slave),
                ("is_slave_offset_in_range",),
                before.cluster,
            ) from problem
    return read_report(explanation, slave)

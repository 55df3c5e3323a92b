"""A connection may be closed as idle before its slave's first report, each time anew.

Differs from 4.4.0: with other timers than its own, ``haSendHeartbeatInterval`` of the slave is not
well below ``haHousekeepingInterval`` of both ends. A connection on which nothing was read or
written yet is idle from its beginning, and each end looks at its timers once a second. So the first
report can no longer be relied on, and without it the master sends nothing. Whether it comes may
depend on which thread looks first; two seconds above, no connection lives that long.
"""

from __future__ import annotations

from reference.language.variant import Variant

VARIANT = Variant(
    name="closed_before_first_report",
    sentence="Each connection may be closed before the slave's first report.",
    comes_from="haSendHeartbeatInterval not a second below haHousekeepingInterval "
    "(HAConnection.ReadSocketService#run, HAClient#run and #isTimeToReportOffset at 4.4.0).",
    is_setting=True,
    unawaited=("report_offset", "report_offset_to_earlier_put"),
)

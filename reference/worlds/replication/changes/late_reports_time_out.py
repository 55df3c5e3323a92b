"""A put that has waited longer than its timeout times out, although its end is reported.

Differs from 4.4.0: ``GroupCommitRequest#wakeupCustomer`` compares the put's age with
``syncFlushTimeout`` when its turn comes. Only 4.7.0 does so; 5.0.0 does the same earlier, in the
group transfer.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.changes import deadline_before_reports

SPAN = Span("4.7.0", until="4.7.1")

VARIANT = Variant(
    name="late_reports_time_out",
    sentence="A put that is older than its timeout when it is answered times out, reported or not.",
    comes_from="RocketMQ 4.7.0, GroupCommitRequest#wakeupCustomer "
    "(queued_puts_470 seq 122 to 127).",
    rules=dict(deadline_before_reports.VARIANT.rules),
    span=SPAN,
)

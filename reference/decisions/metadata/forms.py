"""The two forms of the copy: that of 4.4.0, and that of 4.5.0 to 4.9.8, which some texts quote."""

from __future__ import annotations

from attrs import frozen


@frozen
class CopyForm:
    """When a slave copies, and from whom."""

    first_ms: int
    """From the start of the schedule to the first copy."""
    period_ms: int
    """From one copy to the next."""
    request_timeout_ms: int
    """Each of the four requests may take so long (R-MS-04)."""
    is_own_address_checked: bool
    """A step is skipped when the master's address is the broker's own (V-02)."""
    is_restarted_by_role_change: bool
    """A change of role at run time forgets the master, and starts or ends the schedule (V-01)."""

    def compute_copy_ms(self, number: int) -> int:
        """When a copy is due, counted from the start of the schedule; the first one is 0."""
        return self.first_ms + number * self.period_ms


FORM_4_4_0 = CopyForm(
    first_ms=10_000,
    period_ms=60_000,
    request_timeout_ms=3_000,
    is_own_address_checked=False,
    is_restarted_by_role_change=False,
)
"""R-MS-01, R-MS-03: scheduled in BrokerController#initialize."""

FORM_4_5_0 = CopyForm(
    first_ms=3_000,
    period_ms=10_000,
    request_timeout_ms=3_000,
    is_own_address_checked=True,
    is_restarted_by_role_change=True,
)
"""V-01, V-02: scheduled in BrokerController#handleSlaveSynchronize."""

NOT_COPIED = (
    "consumerFilter.json",
    "client registrations",
    "consume queues",
    "index",
    "checkpoint",
    "name server KV",
    "ACL file",
)
"""What no step copies (R-MS-10)."""

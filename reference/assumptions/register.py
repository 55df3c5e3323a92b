"""Every assumption, and those that a group does not meet."""

from __future__ import annotations

from collections.abc import Mapping

from reference.assumptions.assumption import (
    Assumption,
    UnmetAssumption,
    find_change,
    is_met_by,
)
from reference.assumptions.sizes import DISPATCHED_BEFORE_IT_EXPIRES, ONE_FILE_SIZE
from reference.assumptions.timers import (
    FILE_FLUSHED_BEFORE_IT_EXPIRES,
    PUT_OVER_BEFORE_FIRST_REPORT,
    REPORTED_BEFORE_HOUSEKEEPING,
)
from reference.configuration.broker_group import BrokerGroup

ASSUMPTIONS: Mapping[str, Assumption] = {
    each.name: each
    for each in (
        PUT_OVER_BEFORE_FIRST_REPORT,
        REPORTED_BEFORE_HOUSEKEEPING,
        ONE_FILE_SIZE,
        FILE_FLUSHED_BEFORE_IT_EXPIRES,
        DISPATCHED_BEFORE_IT_EXPIRES,
    )
}
"""Every assumption by name, those that real brokers were seen without first."""


def list_unmet(group: BrokerGroup) -> tuple[UnmetAssumption, ...]:
    """The assumptions that a group does not meet, in the register's order.

    A setting that cannot be read does not meet the assumption that reads it.
    """
    return tuple(
        UnmetAssumption(assumption, assumption.list_settings(group))
        for assumption in ASSUMPTIONS.values()
        if not is_met_by(assumption, group)
    )


def list_changes(group: BrokerGroup) -> tuple[str, ...]:
    """The variants whose rules a group follows because it does not meet some assumptions."""
    found = (find_change(each.assumption, group) for each in list_unmet(group))
    return tuple(name for name in found if name)

"""What never changes in a run of this world: its sizes, and how often faults may strike."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from attrs import frozen

from reference.language.terms import Sort
from reference.worlds.replication.parameters import Count

Instant: TypeAlias = Annotated[int, Sort.INTEGER]
"""A reading of a clock, counted in changes: only its order and its equality matter."""
Content: TypeAlias = Annotated[int, Sort.INTEGER]
"""What a table holds, as a number: equal numbers mean equal content, and 0 is no content."""
BrokerNumber: TypeAlias = Annotated[int, Sort.INTEGER]
"""0 or 1; -1 stands for no broker."""

NOBODY = -1


@frozen
class TablesFaults:
    """A number per kind of fault or circumstance: how often it has struck, or how often it may."""

    slave_changes: Count = 0
    """No failure: a table is changed on a slave, by a client's heartbeat or an administrator."""
    stops: Count = 0
    """No failure: a broker is stopped in order."""
    kills: Count = 0
    """Kills of a broker's process."""
    power_losses: Count = 0
    """Power losses of a broker's machine: its file may be the one before, or gone; the name server
    is not told."""
    role_changes: Count = 0
    """No failure: an operator gives a broker the other role."""
    clock_coincidences: Count = 0
    """A change is stamped with an instant that was used before: two brokers within a millisecond,
    or a clock that was set back."""


@frozen
class TablesParameters:
    """Constant in a run, symbolic in a proof."""

    ghost_contents_max: Content = 2**40
    """How many different contents masters make; RocketMQ knows no such limit, only a search that
    is to see everything needs one."""
    limits: TablesFaults = TablesFaults()
    """How often each fault may strike."""


SMALL_TABLES = TablesParameters(ghost_contents_max=8)
"""A few changes, for searches."""

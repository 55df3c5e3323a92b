"""What never changes in a run of this world: its sizes, and how often faults may strike."""

from __future__ import annotations

from attrs import frozen

from reference.worlds.consumption.parameters import QueueOffset
from reference.worlds.replication.parameters import Count


@frozen
class DelayFaults:
    """A number per kind of fault or circumstance: how often it has struck, or how often it may."""

    stops: Count = 0
    """No failure: the broker that delivers is stopped in order."""
    kills: Count = 0
    """Kills of its process."""
    power_losses: Count = 0
    """Power losses of its machine: messages, copies and the file of progress may be gone."""
    promotions: Count = 0
    """No failure: an operator makes the slave the master, for good."""


@frozen
class DelayParameters:
    """Constant in a run, symbolic in a proof."""

    ghost_followed: QueueOffset = 0
    """The followed place in the delay queue; what holds of any holds of all."""
    ghost_queue_size_max: QueueOffset = 2**40
    """Where the modelled queue ends; no queue has such a limit, only a search needs one."""
    limits: DelayFaults = DelayFaults()
    """How often each fault may strike."""


SMALL_DELAY = DelayParameters(ghost_queue_size_max=3)
"""A queue of a few messages, for searches."""

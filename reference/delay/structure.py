"""What is fixed for one instance of the world of delayed delivery, and its fault limits."""

from __future__ import annotations

from attrs import frozen

from reference.consumption.structure import QueueOffset
from reference.structure import Count
from reference.world import Pair


@frozen
class DelayStructure(Pair):
    """How a master begins to deliver."""

    is_corrected_at_start: bool = False
    """Progress beyond the end of the delay queue is lowered to it at the start, as in later
    releases (``ScheduleMessageService#correctDelayOffset``); 4.4.0 leaves it."""

    @property
    def name(self) -> str:
        """Short name, for example ``delay/4.4.0``."""
        return f"delay/{'corrected at start' if self.is_corrected_at_start else '4.4.0'}"


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

DELAY_STRUCTURES = (DelayStructure(), DelayStructure(is_corrected_at_start=True))
"""Every structure of this world."""

"""The state of delayed delivery: two brokers' delay queues, copies and progress at one level.

A delayed message waits in a queue of its own, one per level. Delivery writes a copy of it for its
topic and goes on to the next one. One place of that queue is followed. Fields named ``ghost_...``
exist in the specification only.

Before it stands what never changes in a run: the sizes, and how often faults may strike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from reference.worlds.reading.state import QueueOffset
from reference.worlds.replication.parameters import Count, Flag

if TYPE_CHECKING:
    from reference.worlds.delay.structure import DelayStructure


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


MASTER, SLAVE = 0, 1
"""The numbers of the two brokers, by their roles at first."""


@frozen
class DelayBroker:
    """What one broker has of the delay queue, and of the progress of delivery."""

    is_up: Flag = True
    """Its process runs."""
    queue_max: QueueOffset = 0
    """One past the last delayed message in its log."""
    has_copy: Flag = False
    """Its log has a copy of the message at the followed place, for the message's topic."""
    position: QueueOffset = 0
    """What its delivery looks at next (``DeliverDelayedMessageTimerTask.offset``)."""
    offset: QueueOffset = 0
    """Its progress in memory (``ScheduleMessageService.offsetTable``)."""
    file: QueueOffset = 0
    """``config/delayOffset.json``; 0 where there is none."""


@frozen
class Delay:
    """The whole state of this world."""

    structure: DelayStructure = field(metadata={"static": True})
    """Its static shape."""
    parameters: DelayParameters
    """The followed place, and fault limits."""
    brokers: tuple[DelayBroker, ...] = (DelayBroker(), DelayBroker())
    """The master and the slave."""
    is_promoted: Flag = False
    """The slave has become the master; the former one stays away."""
    ghost_is_delivered_twice: Flag = False
    """A second copy was written where there was one."""
    ghost_is_copy_lost: Flag = False
    """Whoever delivers has once lost the copy, or begun without it."""
    faults: DelayFaults = field(factory=DelayFaults)
    """The faults so far."""

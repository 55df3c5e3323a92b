"""The state of delayed delivery: two brokers' delay queues, copies and progress at one level.

A delayed message waits in the queue of its level. Delivery writes a copy of it for its topic and
moves on to the next one. One place in that queue is followed. Fields named ``ghost_...`` exist in
the specification only.

The constants of a run come first: sizes, and limits of faults.
"""

from __future__ import annotations

from attrs import field, frozen

from reference.language.leaves import Count, Flag
from reference.language.parameters import BaseFaults, BaseParameters
from reference.worlds.delay.shape import DelayShape
from reference.worlds.reading.state import QueueOffset


@frozen
class DelayFaults(BaseFaults):
    """A number per kind of fault or environment event: how often it has happened, or may."""

    stops: Count = 0
    """Not a failure: the delivering broker stops cleanly."""
    kills: Count = 0
    """Kills of its process."""
    power_losses: Count = 0
    """Power losses of its machine: messages, copies and the file of progress may be gone."""
    promotions: Count = 0
    """Not a failure: an operator makes the slave the master, permanently."""


@frozen
class DelayParameters(BaseParameters):
    """Constant in a run, symbolic in a proof."""

    ghost_followed: QueueOffset = 0
    """The followed place in the delay queue; what holds for an arbitrary one holds for all."""
    ghost_queue_size_max: QueueOffset = 2**40
    """End of the modelled queue. RocketMQ has no such limit; only a search needs one."""
    limits: DelayFaults = DelayFaults()
    """How often each fault may happen."""


SMALL_DELAY = DelayParameters(ghost_queue_size_max=3)
"""A queue of a few messages, for searches."""


MASTER, SLAVE = 0, 1
"""The numbers of the two brokers, by their initial roles."""


@frozen
class DelayBroker:
    """A broker's part of the delay queue and of delivery progress."""

    is_up: Flag = True
    """Its process runs."""
    queue_max: QueueOffset = 0
    """One past the last delayed message in its log."""
    has_copy: Flag = False
    """Its log has a copy of the message at the followed place, for the message's topic."""
    position: QueueOffset = 0
    """Its next position to deliver (``DeliverDelayedMessageTimerTask.offset``)."""
    offset: QueueOffset = 0
    """Its progress in memory (``ScheduleMessageService.offsetTable``)."""
    file: QueueOffset = 0
    """``config/delayOffset.json``; 0 if there is none."""


@frozen
class Delay:
    """The whole state of this world."""

    structure: DelayShape = field(metadata={"static": True})
    """Its static shape."""
    parameters: DelayParameters
    """The followed place, and fault limits."""
    brokers: tuple[DelayBroker, ...] = (DelayBroker(), DelayBroker())
    """The master and the slave."""
    is_promoted: Flag = False
    """The slave has become the master; the former one stays away."""
    ghost_is_delivered_twice: Flag = False
    """A second copy has been written although one existed."""
    ghost_is_copy_lost: Flag = False
    """The delivering broker has once lost the copy, or begun without it."""
    faults: DelayFaults = field(factory=DelayFaults)
    """The faults so far."""

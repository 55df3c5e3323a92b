"""What each broker of a group makes of its consumers, by its own file: where it sends them next.

A broker takes a consumer for slow when the last message that it looked at is further back in the
log than a share of the machine's memory. Everything is asked of the read decision itself.
"""

from __future__ import annotations

from attrs import evolve, frozen

from properties.scenarios.reading_claims import Circumstance, Deployment, pull_from
from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.decisions.reading.get_message import GetMessageStatus
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.settings import DEFAULT_TOTAL_MEMORY_BYTES, compute_memory_bytes
from reference.worlds.replication.roles import Role

FOUND = Circumstance(GetMessageStatus.FOUND)
SLOW = Circumstance(GetMessageStatus.FOUND, is_slow=True)
AHEAD = Circumstance(GetMessageStatus.OFFSET_OVERFLOW_BADLY)


@frozen
class BrokerReading:
    """One broker, as consumers find it that have its address."""

    name: str
    """``master`` or ``slave`` with its id."""
    is_open: bool
    """``slaveReadEnable``."""
    ratio: int
    """``accessMessageInMemoryMaxRatio``, in percent."""
    memory_bytes: int
    """A consumer is slow that is further behind the log's end than this."""
    near_broker: int
    """Where consumers are sent that are not slow."""
    slow_broker: int
    """Where slow ones are sent."""
    is_offset_moved: bool
    """A consumer that asks for what the broker does not have is moved; else it asks again."""


def compute_broker_readings(
    group: BrokerGroup, deployment: Deployment, total_memory_bytes: int = DEFAULT_TOTAL_MEMORY_BYTES
) -> tuple[BrokerReading, ...]:
    """The master and each slave; all machines have ``total_memory_bytes`` of memory."""
    brokers = (group.master, *group.slaves)
    return tuple(compute_reading(each, deployment, total_memory_bytes) for each in brokers)


def compute_reading(
    broker: BrokerConfiguration, deployment: Deployment, total_memory_bytes: int
) -> BrokerReading:
    """One broker; of the deployment only the route and the subscription group's ids count."""
    is_open, ratio = bool(broker.get("slaveReadEnable")), get_ratio(broker)
    own = evolve(
        deployment,
        is_master_open=is_open,
        is_slave_open=is_open,
        is_offset_checked_in_slave=bool(broker.get("offsetCheckInSlave")),
    )
    is_slave = broker.role is Role.SLAVE
    return BrokerReading(
        name=f"slave {broker.broker_id}" if is_slave else "master",
        is_open=is_open,
        ratio=ratio,
        memory_bytes=compute_memory_bytes(total_memory_bytes, ratio),
        near_broker=pull_from(own, broker.broker_id, FOUND).next_broker,
        slow_broker=pull_from(own, broker.broker_id, SLOW).next_broker,
        is_offset_moved=pull_from(own, broker.broker_id, AHEAD).code
        is ResponseCode.PULL_OFFSET_MOVED,
    )


def get_ratio(broker: BrokerConfiguration) -> int:
    """The ratio in force, which 4.4.0 uses on slaves as it is (R-GM-07)."""
    return broker.get_number("accessMessageInMemoryMaxRatio")


def explain_ratio(ratio: int) -> str | None:
    """What an unusual ratio means; None for one between 0 and 100."""
    if ratio <= 0:
        return "every consumer that finds a message counts as slow, even at the end of the queue"
    if ratio == 100:
        return "a consumer counts as slow beyond the whole memory, used up by other things or not"
    if ratio > 100:
        return "nobody counts as slow while the log is shorter than this multiple of the memory"
    return None

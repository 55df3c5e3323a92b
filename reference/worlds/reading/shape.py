"""How two brokers are read, and where a group of consumers begins: what never changes."""

from __future__ import annotations

from attrs import field, frozen

from reference.decisions.progress.client_offsets import ConsumeFromWhere
from reference.decisions.reading.settings import BrokerSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.language.structure import LATER, BaseStructure

OPENED = {
    (False, False): "",
    (True, True): "open",
    (True, False): "master open",
    (False, True): "slave open",
}
"""Part of a structure's name, by ``slaveReadEnable`` on master and slave."""


@frozen(cache_hash=True)
class ReadingShape(BaseStructure):
    """The settings that decide where a consumer reads, and where its group begins.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    is_master_open: bool = False
    """``slaveReadEnable`` on the master."""
    is_slave_open: bool = False
    """``slaveReadEnable`` on the slave."""
    broker_id: int = 0
    """``brokerId`` of the subscription group: the broker for consumers that keep up. Those that
    have fallen behind are sent to 1 (``whichBrokerWhenConsumeSlowly``)."""
    is_offset_checked_in_slave: bool = False
    """``offsetCheckInSlave`` on the slave (R-GM-03)."""
    is_from_first: bool = False
    """The group begins at the first message (CONSUME_FROM_FIRST_OFFSET), otherwise at the last."""
    is_orderly: bool = False
    """Messages are consumed in order, under a lock of the master (R-CC-16)."""
    is_reset_to_end: bool = field(default=False, metadata={LATER: True})
    """A consumer beyond the end of a queue is redirected to its end, from 4.9.4 on (V-18)."""
    is_closed_slave_silent: bool = field(default=False, metadata={LATER: True})
    """A slave without ``slaveReadEnable`` rejects pulls, from 5.0.0 on (V-41)."""

    @property
    def name(self) -> str:
        """Short name, for example ``reading/open slow/no offset check/last``."""
        opened = OPENED[self.is_master_open, self.is_slave_open]
        read = f"{opened} {'all' if self.broker_id else 'slow'}" if opened else "closed"
        check = "offset check" if self.is_offset_checked_in_slave else "no offset check"
        begin = "first" if self.is_from_first else "last"
        order = " orderly" if self.is_orderly else ""
        release = " at 4.9.4" if self.is_reset_to_end else ""
        release = " at 5.0.0" if self.is_closed_slave_silent else release
        return f"reading/{read}/{check}/{begin}{order}{release}"

    @property
    def broker_settings(self) -> tuple[BrokerSettings, BrokerSettings]:
        """The settings that each broker's file gives to the pull processor."""
        opened = (self.is_master_open, self.is_slave_open)
        master, slave = (BrokerSettings(is_slave_read_enabled=each) for each in opened)
        return (master, slave)

    @property
    def group(self) -> SubscriptionGroup:
        """The subscription group, on both brokers."""
        return SubscriptionGroup(broker_id=self.broker_id, slow_broker_id=1)

    @property
    def strategy(self) -> ConsumeFromWhere:
        """``consumeFromWhere``."""
        kinds = ConsumeFromWhere
        return kinds.FIRST_OFFSET if self.is_from_first else kinds.LAST_OFFSET

"""Consumers: what makes a structure, with the rules, the first state and the lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import BaseStructure, Lanes
from reference.worlds.consumption import brokers, consumer, faults, progress, routes, timeline
from reference.worlds.consumption.parameters import ConsumptionParameters
from reference.worlds.consumption.state import Broker, Consumer, Consumption, Routes

CONSUMPTION_RULES: dict[str, Rule] = collect_rules(brokers, routes, progress, consumer, faults)
"""Every rule of this world by name, in the order in which they are told."""


@frozen
class ConsumptionStructure(BaseStructure):
    """The settings that decide which broker a consumer may read."""

    is_slave_read: bool = False
    """Brokers and group are set up so that a consumer may be sent to the slave while it sees the
    master (R-PM-10); without it reads go to the slave only when no master is listed (R-CC-01)."""
    is_offset_checked_in_slave: bool = False
    """``offsetCheckInSlave`` on the slave (R-GM-03)."""

    usual_parameters: ClassVar[ConsumptionParameters] = ConsumptionParameters()
    lanes: ClassVar[Lanes] = timeline.LANES

    @property
    def name(self) -> str:
        """Short name, for example ``consumer/slave read/no offset check``."""
        read = "slave read" if self.is_slave_read else "no slave read"
        check = "offset check" if self.is_offset_checked_in_slave else "no offset check"
        return f"consumer/{read}/{check}"

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The same for every structure."""
        return CONSUMPTION_RULES

    def make_initial(self, parameters: ConsumptionParameters) -> Consumption:
        """Both brokers up and known to all, an empty queue, no consumer yet."""
        return Consumption(self, parameters, Broker(), Broker(), Routes(), Consumer())


CONSUMPTION_STRUCTURES = tuple(
    ConsumptionStructure(is_read, is_checked)
    for is_read in (False, True)
    for is_checked in (False, True)
)
"""Every structure of this world."""

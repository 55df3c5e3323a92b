"""Delayed delivery: what makes a structure, with the rules, the first state and the lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import BaseStructure, Lanes
from reference.worlds.delay import delivery, lifecycle, timeline
from reference.worlds.delay.parameters import DelayParameters
from reference.worlds.delay.state import Delay

DELAY_RULES: dict[str, Rule] = collect_rules(delivery, lifecycle)
"""Every rule of this world by name, in the order in which they are told."""


@frozen
class DelayStructure(BaseStructure):
    """How a master begins to deliver."""

    is_corrected_at_start: bool = False
    """Progress beyond the end of the delay queue is lowered to it at the start, as in later
    releases (``ScheduleMessageService#correctDelayOffset``); 4.4.0 leaves it."""

    usual_parameters: ClassVar[DelayParameters] = DelayParameters()
    lanes: ClassVar[Lanes] = timeline.LANES

    @property
    def name(self) -> str:
        """Short name, for example ``delay/4.4.0``."""
        return f"delay/{'corrected at start' if self.is_corrected_at_start else '4.4.0'}"

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The same for every structure."""
        return DELAY_RULES

    @property
    def index_counts(self) -> Mapping[str, int]:
        """The master and its slave."""
        return {"broker": 2}

    def make_initial(self, parameters: DelayParameters) -> Delay:
        """Both brokers up, and nothing delayed yet."""
        return Delay(self, parameters)


DELAY_STRUCTURES = (DelayStructure(), DelayStructure(is_corrected_at_start=True))
"""Every structure of this world."""

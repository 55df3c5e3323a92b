"""All that is decided about one broker group: log, starts, tables, consumers, the whole system."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

from attrs import frozen

from properties.scenarios.analysis.reading import (
    Decide,
    ReadingAnalysis,
    ReadingQuestion,
    analyse_readings,
    decide_reading,
)
from properties.scenarios.analysis.starts import analyse_starts
from properties.scenarios.analysis.system import analyse_systems
from properties.scenarios.analysis.tables import analyse_tables
from properties.verdicts.analysis import Analysis
from reference.configuration.broker_group import BrokerGroup

AnalyseLog: TypeAlias = Callable[[BrokerGroup], Analysis]
"""What decides the verdicts of a group's log."""


@frozen(slots=False, eq=False)
class GroupAnalysis:
    """The answer about a broker group; everything but its log is decided when it is looked at.

    That raises InternalDisagreementError for a certificate that does not hold.
    """

    group: BrokerGroup
    question: ReadingQuestion
    log: Analysis
    decide_reading: Decide = decide_reading

    @cached_property
    def tables(self) -> tuple[Analysis, ...]:
        """Topics, subscription groups, delayed messages; none without a slave, or if it acts."""
        return () if self.group.has_acting_slave else analyse_tables(self.group)

    @cached_property
    def starts(self) -> Analysis:
        """Whether each broker starts again after it has ended."""
        return analyse_starts(self.group)

    @cached_property
    def readings(self) -> tuple[ReadingAnalysis, ...]:
        """Every kind of consumers; none without a slave, or if it acts for its master."""
        if self.group.has_acting_slave:
            return ()
        return analyse_readings(self.group, self.question, self.decide_reading)

    @cached_property
    def systems(self) -> tuple[Analysis, ...]:
        """From put to consumed, for each kind of consumers for which that was decided."""
        if self.group.has_acting_slave:
            return ()
        return analyse_systems(self.group, self.readings, self.question)

    @cached_property
    def summarised(self) -> tuple[Analysis, ...]:
        """What the short answer is about: log, starts, tables, consumers, systems.

        Nothing of consumers and systems where some kind of consumers has no structure.
        """
        asked = [each.asked for each in self.readings]
        known = tuple(dict.fromkeys(each for each in asked if each is not None))
        consumed = () if None in asked else (*known, *self.systems)
        return (self.log, self.starts, *self.tables, *consumed)

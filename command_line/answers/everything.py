"""Every verdict about some deployments: for the long answer, programs, and ``--require``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property

from attrs import frozen

from properties.scenarios.analysis.group import AnalyseLog, GroupAnalysis
from properties.scenarios.analysis.reading import ReadingAnalysis, ReadingQuestion
from properties.verdicts.analysis import Analysis
from reference.configuration.broker_group import BrokerGroup, Deployment

PARTS = {
    "starts": "starts of brokers",
    "tables": "topics, subscription groups, delayed messages",
    "readings": "consumers",
    "systems": "from put to consumed",
}
"""What is decided after the logs, in words for a line of progress."""


@frozen(slots=False, eq=False)
class Everything:
    """The groups of some deployments, and what is said of several of them once."""

    by_deployment: tuple[tuple[Deployment, tuple[GroupAnalysis, ...]], ...]

    @property
    def groups(self) -> list[GroupAnalysis]:
        """Every group."""
        return [each for _, analyses in self.by_deployment for each in analyses]

    @cached_property
    def tables(self) -> tuple[Analysis, ...]:
        """Topics of all groups, then subscription groups, then delayed messages."""
        by_table = zip(*(each.tables for each in self.groups if each.tables), strict=True)
        return tuple(dict.fromkeys(each for alike in by_table for each in alike))

    @cached_property
    def starts(self) -> tuple[Analysis, ...]:
        """Starts of brokers."""
        return tuple(dict.fromkeys(each.starts for each in self.groups))

    @cached_property
    def readings(self) -> tuple[ReadingAnalysis, ...]:
        """Every kind of consumers."""
        return tuple(merge_readings(self.groups))

    @cached_property
    def systems(self) -> tuple[Analysis, ...]:
        """From put to consumed."""
        return tuple(dict.fromkeys(each for group in self.groups for each in group.systems))

    def list_placed(self) -> list[tuple[str, Analysis]]:
        """Every analysis that has verdicts, with the masters' files that it is about."""
        everywhere = name_files(self.groups)
        others = (
            *self.starts,
            *(r.asked for r in self.readings if r.asked),
            *self.tables,
            *self.systems,
        )
        logs = [(name_files(alike), alike[0].log) for alike in group_alike(self.groups)]
        return [*logs, *((everywhere, each) for each in others)]


def analyse_everything(
    deployments: tuple[Deployment, ...],
    question: ReadingQuestion,
    analyse_log: AnalyseLog,
    progress: Callable[[str], None],
) -> Everything:
    """Every verdict, decided now."""

    def analyse(group: BrokerGroup) -> GroupAnalysis:
        return GroupAnalysis(group, question, analyse_log(group))

    everything = Everything(tuple((d, tuple(map(analyse, d.groups))) for d in deployments))
    for part, words in PARTS.items():
        progress(words)
        getattr(everything, part)
    return everything


def group_alike(analyses: Iterable[GroupAnalysis]) -> list[list[GroupAnalysis]]:
    """The groups, those that behave alike together."""
    alike: dict[Hashable, list[GroupAnalysis]] = {}
    for each in analyses:
        alike.setdefault(each.group.same_behaviour_key(), []).append(each)
    return list(alike.values())


def merge_readings(analyses: Iterable[GroupAnalysis]) -> list[ReadingAnalysis]:
    """The consumers of some groups; what is said of consumers of several groups once."""
    found: dict[Hashable, ReadingAnalysis] = {}
    for each in (reading for group in analyses for reading in group.readings):
        found.setdefault(each.answer, each)
    return list(found.values())


def name_files(analyses: Sequence[GroupAnalysis]) -> str:
    """The masters' files of some groups."""
    return ", ".join(dict.fromkeys(each.group.master.file for each in analyses))

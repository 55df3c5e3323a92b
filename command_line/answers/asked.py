"""Questions to ``check``: answered from memory, or by engines that are imported only then."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click
from attrs import define

from command_line.answers.short.groups import ShortAnswer, gather
from command_line.answers.short.screen import get_width, list_codes
from command_line.options.broker_options import SettingChange, assume_all
from command_line.options.reading_options import gather_question
from command_line.output.memory import Memory, open_memory
from command_line.output.progress import ProgressLine
from properties.scenarios.summary.answer import Summary
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning, Deployment
from reference.releases.versions import Version

if TYPE_CHECKING:
    from command_line.answers.everything import Everything
    from properties.scenarios.analysis.reading import ReadingQuestion
    from properties.verdicts.analysis import Analysis


@define(slots=False)
class GroupQuestions:
    """The questions about every group."""

    consumers: Mapping[str, Any]
    """The options about consumers, as they were typed."""
    memory: Memory
    progress: ProgressLine
    is_known: bool
    """A group without slaves is known to have none."""

    @cached_property
    def question(self) -> ReadingQuestion:
        """The question about consumers. Raises QuestionError."""
        return gather_question(**self.consumers)

    @cached_property
    def _found(self) -> dict[tuple[Deployment, ...], Everything]:
        return {}

    @cached_property
    def _logs(self) -> dict[Hashable, Analysis]:
        return {}

    def gather(self, deployments: tuple[Deployment, ...]) -> tuple[ShortAnswer, ...]:
        """The short answer of every group."""
        return gather(
            deployments, self.consumers, self.memory, self._summarise, is_known=self.is_known
        )

    def _summarise(self, group: BrokerGroup) -> Summary:
        from properties.scenarios.analysis.group import GroupAnalysis  # noqa: PLC0415
        from properties.scenarios.summary.summary import summarise  # noqa: PLC0415

        with open_memory(self.memory):
            analysis = GroupAnalysis(group, self.question, self._analyse_log(group))
            return summarise(analysis, self._analyse_log)

    def _analyse_log(self, group: BrokerGroup) -> Analysis:
        from properties.scenarios.analysis.log import analyse_log  # noqa: PLC0415

        key = group.same_behaviour_key()
        if key not in self._logs:
            self._logs[key] = analyse_log(group, self.progress)
        return self._logs[key]

    def analyse(self, deployments: tuple[Deployment, ...]) -> Everything:
        """Every verdict, decided once."""
        from command_line.answers.everything import analyse_everything  # noqa: PLC0415

        if deployments not in self._found:
            with open_memory(self.memory):
                self._found[deployments] = analyse_everything(
                    deployments, self.question, self._analyse_log, self.progress
                )
        return self._found[deployments]

    def print_everything(  # noqa: PLR0913, PLR0917
        self,
        configured: tuple[Deployment, ...],
        deployments: tuple[Deployment, ...],
        version: Version,
        warnings: Sequence[ConfigurationWarning],
        timelines: int | None,
        changes: Sequence[SettingChange],
        answers: Sequence[ShortAnswer],
    ) -> None:
        """Every table, then all codes of the short answers."""
        from command_line.answers.long.screen import print_everything  # noqa: PLC0415

        found = self.analyse(deployments)
        with open_memory(self.memory):
            lines = self._tell_changes(configured, deployments, changes) if changes else ()
            self.progress.clear()
            print_everything(found, version, warnings, timelines, lines)
        for answer in answers:
            click.echo("\n" + "\n".join(list_codes(answer, get_width())))
        if self.list_open(deployments):
            click.echo("No slave's file is given for some groups: --slaves N answers for N slaves.")

    def _tell_changes(
        self,
        configured: tuple[Deployment, ...],
        deployments: tuple[Deployment, ...],
        changes: Sequence[SettingChange],
    ) -> list[str]:
        from command_line.answers.long.turns import tell_changes  # noqa: PLC0415

        before, after = (
            [self._analyse_log(group) for deployment in each for group in deployment.groups]
            for each in (configured, deployments)
        )
        return list(tell_changes(" ".join(map(str, changes)), zip(before, after, strict=True)))

    def render_json(
        self,
        deployments: tuple[Deployment, ...],
        version: Version,
        warnings: Sequence[ConfigurationWarning],
        answers: Sequence[ShortAnswer],
    ) -> str:
        """Every verdict and every short answer, for programs."""
        from command_line.answers.long.as_json import everything_as_json  # noqa: PLC0415

        with open_memory(self.memory):
            found = everything_as_json(self.analyse(deployments), answers, version, warnings)
        return json.dumps(found, indent=1)

    def list_open(self, deployments: tuple[Deployment, ...]) -> list[BrokerGroup]:
        """The groups whose slaves are unknown."""
        groups = [group for deployment in deployments for group in deployment.groups]
        return [] if self.is_known else [group for group in groups if not group.slaves]

    def judge_required(
        self, require: Sequence[tuple[str, str]], deployments: tuple[Deployment, ...]
    ) -> int:
        """The exit code of the requirements; prints a reason for each that does not hold."""
        from command_line.answers import required  # noqa: PLC0415

        variants = [deployments]
        if self.list_open(deployments):
            variants.append(assume_all(deployments, 1))
        placed = [self.analyse(each).list_placed() for each in variants]
        merged = required.merge_variants(
            [[required.judge(*each, analyses) for each in require] for analyses in placed]
        )
        self.progress.clear()
        required.print_failures(merged)
        return required.combine([each.code for each in merged])

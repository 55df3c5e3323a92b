"""Questions to ``check``: answered from memory, or by engines that are imported only then."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click
from attrs import define

from command_line.answers.short.groups import ShortAnswer, gather
from command_line.answers.short.screen import get_width, list_codes
from command_line.options.broker_options import Change, assume_all
from command_line.options.reading_options import gather_question
from command_line.output.memory import Memory, open_memory
from command_line.output.progress import ProgressLine
from properties.scenarios.summary.answer import Summary, encode_summary
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning, Deployment
from reference.releases.versions import Version

if TYPE_CHECKING:
    from command_line.answers.everything import Everything
    from properties.scenarios.reading_analysis import ReadingQuestion
    from properties.verdicts.analysis import GroupAnalysis


@define(slots=False)
class Asked:
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
    def _analyses(self) -> dict[Any, GroupAnalysis]:
        return {}

    def gather(self, deployments: tuple[Deployment, ...]) -> tuple[ShortAnswer, ...]:
        """The short answer of every group."""
        return gather(
            deployments, self.consumers, self.memory, self._summarise, is_known=self.is_known
        )

    def _summarise(self, group: BrokerGroup) -> Summary:
        from properties.scenarios.summary.summary import summarise  # noqa: PLC0415

        with open_memory(self.memory):
            return summarise(group, self.question, self._analyse)

    def _analyse(self, group: BrokerGroup) -> GroupAnalysis:
        from properties.verdicts.analysis import analyse_group  # noqa: PLC0415

        key = group.same_behaviour_key()
        if key not in self._analyses:
            self._analyses[key] = analyse_group(group, self.progress)
        return self._analyses[key]

    def analyse(self, deployments: tuple[Deployment, ...], version: Version) -> Everything:
        """Every verdict, decided once."""
        from command_line.answers.everything import analyse_everything  # noqa: PLC0415

        if deployments not in self._found:
            with open_memory(self.memory):
                self._found[deployments] = analyse_everything(
                    deployments, self.question, version, self.progress
                )
        return self._found[deployments]

    def print_everything(  # noqa: PLR0913, PLR0917
        self,
        configured: tuple[Deployment, ...],
        deployments: tuple[Deployment, ...],
        version: Version,
        warnings: Sequence[ConfigurationWarning],
        timelines: int | None,
        changes: Sequence[Change],
        answers: Sequence[ShortAnswer],
    ) -> None:
        """Every table, then all codes of the short answers."""
        from command_line.answers import everything  # noqa: PLC0415

        found = self.analyse(deployments, version)
        what = " ".join(map(str, changes))
        with open_memory(self.memory):
            lines = (
                everything.describe_changes(configured, found, what, self.progress)
                if changes
                else ()
            )
            self.progress.clear()
            everything.print_everything(found, version, warnings, timelines, lines)
        for answer in answers:
            click.echo("\n" + "\n".join(list_codes(answer, get_width())))
        if self.list_open(deployments):
            click.echo("No slave's file is given for some groups: --slaves N answers for N slaves.")

    def render_json(
        self,
        deployments: tuple[Deployment, ...],
        version: Version,
        warnings: Sequence[ConfigurationWarning],
        answers: Sequence[ShortAnswer],
    ) -> str:
        """Every verdict and every short answer, for programs."""
        from command_line.answers.everything import everything_as_json  # noqa: PLC0415

        with open_memory(self.memory):
            found = everything_as_json(self.analyse(deployments, version), version, warnings)
        found["summaries"] = [
            {
                "deployment": answer.deployment,
                "groups": [group.broker_name for group in answer.groups],
                "are_slaves_known": not answer.is_side_by_side,
                "answers": [encode_summary(each) for each in answer.summaries],
            }
            for answer in answers
        ]
        return json.dumps(found, indent=1)

    def list_open(self, deployments: tuple[Deployment, ...]) -> list[BrokerGroup]:
        """The groups whose slaves are unknown."""
        groups = [group for deployment in deployments for group in deployment.groups]
        return [] if self.is_known else [group for group in groups if not group.slaves]

    def judge_required(
        self,
        require: Sequence[tuple[str, str]],
        deployments: tuple[Deployment, ...],
        version: Version,
    ) -> int:
        """The exit code of the requirements; prints a reason for each that does not hold."""
        from command_line.answers import required  # noqa: PLC0415

        variants = [deployments]
        if self.list_open(deployments):
            variants.append(assume_all(deployments, 1))
        found = [self.analyse(each, version) for each in variants]
        judged = [
            [required.judge(*each, everything.list_analyses()) for each in require]
            for everything in found
        ]
        places = {key: place for each in found for key, place in each.list_places().items()}
        merged = required.merge_variants(judged)
        self.progress.clear()
        required.print_failures(merged, places)
        return required.combine([each.code for each in merged])

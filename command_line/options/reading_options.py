"""The options about consumers and about the brokers' machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reference.decisions.reading.question import QuestionError
from reference.decisions.reading.settings import DEFAULT_TOTAL_MEMORY_BYTES, DOUBLE_EXACT_BELOW
from reference.decisions.reading.subscription_group import (
    GroupError,
    SubscriptionGroup,
    parse_group,
    read_groups,
)

if TYPE_CHECKING:
    from properties.scenarios.analysis.reading import ReadingQuestion


def add_reading_options(command: Any) -> Any:
    """Options for what `gather_question` takes."""
    for option in (
        click.option(
            "--total-memory-bytes",
            type=click.IntRange(0, DOUBLE_EXACT_BELOW - 1),
            metavar="N",
            help="Memory of each broker's machine. "
            f"Default: {DEFAULT_TOTAL_MEMORY_BYTES}, which 4.4.0 takes where it cannot ask.",
        ),
        click.option(
            "--group-file",
            type=click.Path(path_type=Path),
            help="A subscriptionGroup.json: consumers of each of its groups, or of --group only.",
        ),
        click.option(
            "--group",
            metavar="OPTIONS|NAME",
            help="Consumers of such a subscription group: "
            "brokerId=1,whichBrokerWhenConsumeSlowly=1, or a name in the file.",
        ),
    ):
        command = option(command)
    return command


def repeat_consumers(
    group: str | None, group_file: Path | None, total_memory_bytes: int | None
) -> tuple[str, ...]:
    """These options as they were typed."""
    given = (
        ("--group", group),
        ("--group-file", group_file),
        ("--total-memory-bytes", total_memory_bytes),
    )
    return tuple(w for name, value in given if value is not None for w in (name, str(value)))


def gather_question(
    group: str | None,
    group_file: Path | None,
    total_memory_bytes: int | None,
    *,
    is_from_first: bool = False,
) -> ReadingQuestion:
    """The question about consumers; without any option it is about a group with defaults.

    ``is_from_first`` says that groups without progress begin at the first message.

    Raises:
        QuestionError: a file or options that describe no group, or a name that is not in the file.
    """
    # What decides about consumers takes longer to import than a remembered answer to print.
    from properties.scenarios.analysis.reading import (  # noqa: PLC0415
        Consumers,
        ReadingQuestion,
        gather_alike,
        keep_deciding,
    )

    if group_file is not None:
        groups = read_group_file(group_file)
        chosen = groups if group is None else {group: find_group(group, group_file)}
        return ReadingQuestion(gather_alike(chosen), total_memory_bytes, is_from_first)
    try:
        options = parse_group(group or "")
    except GroupError as problem:
        raise QuestionError(f"--group: {problem}") from problem
    asked = (Consumers(keep_deciding(options)),)
    return ReadingQuestion(asked, total_memory_bytes, is_from_first)


def read_group_file(file: Path) -> dict[str, SubscriptionGroup]:
    """All groups of a broker's file, by name.

    Raises:
        QuestionError: not such a file.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise QuestionError(f"--group-file {file}: {why}") from problem
    try:
        return read_groups(text)
    except GroupError as problem:
        raise QuestionError(f"{file}: {problem}") from problem


def find_group(name: str | None, file: Path) -> SubscriptionGroup:
    """A group by its name from a broker's file.

    Raises:
        QuestionError: not such a file, or no such group in it.
    """
    groups = read_group_file(file)
    if name not in groups:
        raise QuestionError(f"{file} has the groups {', '.join(groups)}; name one with --group")
    return groups[name]

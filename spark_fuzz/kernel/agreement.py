"""The kernel compared with the reference, in every campaign: a few schedules of each unit."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from properties.verdicts.verdict import InternalDisagreementError
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_whole
from spark_fuzz.kernel.ancestry import Lineage
from spark_fuzz.kernel.kernel import BatchResults, Kernel


@frozen
class Account:
    """All facts about one schedule."""

    steps: int
    violations: dict[str, int]
    """For each violated guarantee the first step after which it is violated."""
    used: frozenset[str]
    healing_steps: int
    end: int
    stuck: tuple[str, ...]


def describe_row(kernel: Kernel, batch: BatchResults, row: int) -> Account:
    """A kernel's account of one schedule of its batch."""
    layout = kernel.layout
    at = dict(zip(layout.guarantees, map(int, batch.violations[row]), strict=True))
    is_used = kernel.unpack_used(batch.used[row : row + 1])[0]
    is_stuck = kernel.unpack_stuck(batch.stuck[row : row + 1])[0]
    return Account(
        int(batch.steps[row]),
        {name: step for name, step in at.items() if step >= 0},
        frozenset(name for name, used in zip(kernel.names, is_used, strict=True) if used),
        int(batch.healing_steps[row]),
        int(batch.ends[row]),
        tuple(
            name for name, stuck in zip(layout.claims_about_rest, is_stuck, strict=True) if stuck
        ),
    )


def describe_replay(options: CampaignOptions, schedule: int | Lineage) -> Account:
    """The reference's account of the same schedule."""
    replay = replay_whole(options, schedule)
    violations: dict[str, int] = {}
    for step in replay.steps:
        violations.update({n: step.index for n in step.violated if n not in violations})
    return Account(
        replay.healing_begins,
        violations,
        frozenset(s.action.instance for s in replay.steps if s.action),
        len(replay.steps) - 1 - replay.healing_begins,
        replay.end,
        replay.stuck,
    )


def check_agreement(
    kernel: Kernel, options: CampaignOptions, batch: BatchResults, row: int, lineage: Lineage
) -> None:
    """Raise InternalDisagreementError when the reference's account of a schedule differs."""
    compiled, replayed = describe_row(kernel, batch, row), describe_replay(options, lineage)
    if compiled != replayed:
        raise InternalDisagreementError(describe_difference(options, lineage, compiled, replayed))


def describe_difference(
    options: CampaignOptions, lineage: Lineage, compiled: Account, replayed: Account
) -> str:
    """One line: the schedule, and the differing facts."""
    names = ("steps", "violations", "used", "healing_steps", "end", "stuck")
    different: list[tuple[str, Any, Any]] = [
        (name, getattr(compiled, name), getattr(replayed, name))
        for name in names
        if getattr(compiled, name) != getattr(replayed, name)
    ]
    facts = "; ".join(f"{name}: {one} and {other}" for name, one, other in different)
    identifier = options.format_identifier(lineage)
    return f"kernel and reference disagree about {identifier}: {facts}"

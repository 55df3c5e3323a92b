"""The groups of a configuration with their short answers, those that behave alike together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from command_line.output.memory import Memory, make_key
from properties.scenarios.summary.answer import Summary, decode_summary, encode_summary
from reference.configuration.broker_group import BrokerGroup, Deployment, show_on_one_line
from reference.configuration.deployments import ASSUMED_FILE, assume_slaves

NAMES_MAX = 4
"""How many groups that behave alike are named; the others are counted."""

SIDE_BY_SIDE = (0, 1)
"""The numbers of slaves that are answered for if no slave's file is given."""


@frozen
class ShortAnswer:
    """Groups that behave alike, with one short answer, or one for each number of slaves."""

    deployment: str
    """The folder that the first of them lies in."""
    groups: tuple[BrokerGroup, ...]
    summaries: tuple[Summary, ...]
    is_among_folders: bool = False
    """There are answers about groups of another folder, too."""

    @property
    def title(self) -> str:
        """The names, and the folder if that tells them from others."""
        return f"{self.names} in {self.deployment}" if self.is_among_folders else self.names

    @property
    def group(self) -> BrokerGroup:
        """The first of them."""
        return self.groups[0]

    @property
    def is_side_by_side(self) -> bool:
        """Their slaves are unknown."""
        return len(self.summaries) > 1

    @property
    def is_outside(self) -> bool:
        """Nothing is decided."""
        return any(summary.outside for summary in self.summaries)

    @property
    def names(self) -> str:
        """Cluster and names, for a line."""
        clusters: dict[str, list[str]] = {}
        for group in self.groups[:NAMES_MAX]:
            clusters.setdefault(group.cluster, []).append(group.broker_name)
        told = [f"{cluster}/{', '.join(names)}" for cluster, names in clusters.items()]
        more = len(self.groups) - NAMES_MAX
        return show_on_one_line(", ".join(told)) + (f" and {more} more" if more > 0 else "")

    @property
    def settings(self) -> str:
        """Role, flush, slaves and what else decides most."""
        settings = self.summaries[0].settings
        slaves = "slaves unknown" if self.is_side_by_side else say_slaves(self.summaries[0].slaves)
        assumed = " (assumed)" if any(s.file == ASSUMED_FILE for s in self.group.slaves) else ""
        first = [v for k, v in settings.items() if k in ("brokerRole", "flushDiskType")]
        more = [f"{k}={v}" for k, v in settings.items() if v not in first]
        return ", ".join((*first, slaves + assumed, *more))


def say_slaves(count: int) -> str:
    """How many slaves, in words."""
    return f"{count or 'no'} slave{'' if count == 1 else 's'}"


def list_variants(group: BrokerGroup, *, is_known: bool) -> tuple[BrokerGroup, ...]:
    """The group, or where its slaves are unknown what it may be."""
    if group.slaves or is_known:
        return (group,)
    return tuple(assume_slaves(group, count) for count in SIDE_BY_SIDE)


def gather(
    deployments: Sequence[Deployment],
    consumers: Mapping[str, Any],
    memory: Memory,
    compute: Callable[[BrokerGroup], Summary],
    *,
    is_known: bool,
) -> tuple[ShortAnswer, ...]:
    """The short answer of every group, from memory where it has one.

    ``consumers`` are the options about consumers, as typed; ``is_known`` says that groups without
    slaves have none.
    """
    alike: dict[Hashable, list[tuple[str, BrokerGroup]]] = {}
    for deployment in deployments:
        for group in deployment.groups:
            key = (deployment.name, group.same_behaviour_key())
            alike.setdefault(key, []).append((deployment.name, group))
    answers = []
    for members in alike.values():
        name, group = members[0]
        variants = list_variants(group, is_known=is_known)
        summaries = (summarise(each, consumers, memory, compute) for each in variants)
        groups = tuple(g for _, g in members)
        answers.append(ShortAnswer(name, groups, tuple(summaries), len(deployments) > 1))
    return tuple(answers)


def summarise(
    group: BrokerGroup,
    consumers: Mapping[str, Any],
    memory: Memory,
    compute: Callable[[BrokerGroup], Summary],
) -> Summary:
    """The short answer of a group, from memory where it has one."""
    asked = sorted((name, read_option(value)) for name, value in consumers.items())
    key = make_key("summary", group.version.name, group.same_behaviour_key(), asked)
    try:
        return decode_summary(memory.recall(key) or {})
    except (KeyError, TypeError, ValueError):
        summary = compute(group)
        if not summary.outside and not summary.gave_up:
            # Reasons name files and lines; more work may decide what Z3 gave up.
            memory.keep(key, encode_summary(summary))
        return summary


def read_option(value: Any) -> str:
    """An option about consumers: of a file what it says."""
    if isinstance(value, Path):
        try:
            return value.read_bytes().hex()
        except OSError:
            return str(value)
    return repr(value)

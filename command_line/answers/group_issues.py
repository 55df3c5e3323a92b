"""What ``issues`` prints about broker groups: which known issues can happen to each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from command_line.answers.short.groups import list_variants
from command_line.answers.story.code_story import describe_group
from command_line.options.reading_options import gather_question
from command_line.output import width
from properties.checkout import name_page
from properties.scenarios.known_issues.catalogue import Entry
from properties.scenarios.known_issues.decisions import Decision
from properties.scenarios.known_issues.group_issues import Chance, GroupIssue, list_group_issues
from properties.scenarios.known_issues.scenario import Scenario
from reference.configuration.broker_group import BrokerGroup, Deployment
from reference.releases.versions import USUAL_VERSION

HEADS = {
    Chance.POSSIBLE: "Can happen by the issue's own steps:",
    Chance.OTHERWISE: "Not by these steps, but by others under the same faults:",
    Chance.IMPOSSIBLE: "Cannot happen:",
    Chance.UNDECIDED: "Undecided:",
}

READING_NOTE = (
    f"Consumers and delayed messages are judged by the rules of {USUAL_VERSION.name}; "
    f"{name_page('versions.md')} lists what later releases change."
)


@frozen
class IssuesOfGroup:
    """A group, and some issues in it."""

    group: BrokerGroup
    issues: tuple[GroupIssue, ...]
    reasons: tuple[str, ...]
    """Why nothing is decided about the group; empty where something is."""


def gather_issues(
    entries: Sequence[Entry],
    deployments: Iterable[Deployment],
    consumers: Mapping[str, Any],
    *,
    is_known: bool,
) -> Iterator[IssuesOfGroup]:
    """The scenarios among some entries in every group; groups that behave alike once."""
    question = gather_question(**consumers)
    scenarios = [entry for entry in entries if isinstance(entry, Scenario)]
    seen: set[Any] = set()
    for group in (group for deployment in deployments for group in deployment.groups):
        for each in list_variants(group, is_known=is_known):
            if each.same_behaviour_key() not in seen:
                seen.add(each.same_behaviour_key())
                issues = list_group_issues(scenarios, each, question)
                yield IssuesOfGroup(each, issues, each.outside_the_model())


def render_issues(found: IssuesOfGroup) -> Iterator[str]:
    """The lines about one group."""
    version = found.group.version
    yield f"{describe_group(found.group)}; RocketMQ {version.name}"
    if found.reasons:
        yield "Nothing is decided:"
        for reason in found.reasons:
            yield from wrap(reason, "  - ")
        return
    for chance, head in HEADS.items():
        issues = [issue for issue in found.issues if issue.chance is chance]
        if issues:
            yield head
        for issue in issues:
            yield from wrap(describe_issue(issue), "  ")
    if version != USUAL_VERSION:
        yield READING_NOTE


def describe_issue(issue: GroupIssue) -> str:
    """An issue in a group, with its faults and how its chance is known."""
    scenario = issue.scenario
    faults = "without any fault" if scenario.fault == "none" else scenario.fault
    return f"{', '.join(scenario.sources)}: {scenario.title} ({faults}; {issue.reason})"


def render_decisions(entries: Iterable[Entry]) -> Iterator[str]:
    """The issues that do not depend on a broker group: a client or a name server decides them."""
    decisions = [entry for entry in entries if isinstance(entry, Decision)]
    if decisions:
        yield "Decided by clients, routes or other settings; `rmqspec issues NUMBER` shows how:"
    for each in decisions:
        yield from wrap(f"{', '.join(each.sources)}: {each.title}", "  ")


def wrap(text: str, indent: str) -> Iterable[str]:
    """Lines of a text, those after the first indented further."""
    return width.wrap(text, width.get_prose_width(), indent, " " * (len(indent) + 2))


def issues_as_json(found: IssuesOfGroup) -> dict[str, Any]:
    """One group for programs."""
    return {
        "cluster": found.group.cluster,
        "broker_name": found.group.broker_name,
        "slaves": len(found.group.slaves),
        "rocketmq_version": found.group.version.name,
        "outside_the_model": list(found.reasons),
        "issues": [
            {
                "name": issue.scenario.name,
                "sources": list(issue.scenario.sources),
                "fault": issue.scenario.fault,
                "chance": issue.chance.value,
                "structure": None if issue.structure is None else issue.structure.name,
                "reason": issue.reason,
            }
            for issue in found.issues
        ],
    }

"""What brokers' logs say: a time line, signs of trouble, and what they cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from brokers.broker_logs.findings import LogFinding, TimelineEntry
from brokers.broker_logs.reading import BrokerStory, LogReport
from brokers.broker_logs.unseen import list_unseen
from command_line.output.width import get_width, wrap
from properties.checkout import PROGRAM, name_page
from properties.scenarios.procedures.procedures import STORE_CHECK
from properties.scenarios.procedures.signs import Sign, find_sign

WIDTH_MAX = 80
DATE = slice(0, 10)
CLOCK = slice(11, None)

Told = tuple[Sign, list[LogFinding]]


def gather_signs(report: LogReport) -> list[Told]:
    """The signs with what was found of each: trouble first, the earliest first."""
    found: dict[str, list[LogFinding]] = {}
    for finding in report.findings:
        found.setdefault(finding.sign, []).append(finding)
    told = [(find_sign(name), findings) for name, findings in found.items()]
    return sorted(told, key=lambda each: each[0].is_note)


def render(report: LogReport) -> Iterator[str]:
    """The lines for a terminal, at most 80 columns wide."""
    width = min(get_width() or WIDTH_MAX, WIDTH_MAX)
    for story in report.brokers:
        yield from wrap(describe_broker(story), width, "", "  ")
    told = "the logs tell" if report.is_told else "the logs do not tell the release"
    yield f"RocketMQ {report.release}: {told}."
    for note in report.notes:
        yield from wrap(f"note: {note}", width, "", "  ")
    yield ""
    yield from render_time_line(report.entries, width)
    signs = gather_signs(report)
    yield ""
    yield from wrap(say_head(report, signs), width, "", "  ")
    for sign, findings in signs:
        yield from render_sign(sign, findings, width)
    yield ""
    yield "Not in these logs, whatever happened:"
    for text in list_unseen(report.release):
        yield from wrap(text, width, "- ", "  ")


def say_head(report: LogReport, signs: Sequence[Told]) -> str:
    """That there are signs; without any how far that goes: known lines, and what none is about."""
    if any(not sign.is_note for sign, _ in signs):
        return "Signs of trouble:"
    if not report.known:
        return (
            "Nothing can be said: none of these lines is known. They are of another program or "
            "release, or their pattern is not that of RocketMQ's own files."
        )
    unseen = report.list_unseen_areas()
    what = "Nothing but notes" if signs else "No sign of trouble"
    told = f"{what} in the {report.known} lines that are known."
    return f"{told} None is about {join_names(unseen)}." if unseen else told


def join_names(names: Sequence[str]) -> str:
    """Names with commas and a last *or*."""
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)


def describe_broker(story: BrokerStory) -> str:
    """How much of a broker was read."""
    if not story.lines:
        return f"{story.name}: its logs are empty"
    role = story.lives.role or "role not told"
    return (
        f"{story.name}: {role}; {story.lines} lines from {story.first} to {story.last}, "
        f"{story.known} of them known"
    )


def render_time_line(entries: tuple[TimelineEntry, ...], width: int) -> Iterator[str]:
    """A heading for each day, a line for each entry."""
    names = max((len(entry.broker) for entry in entries), default=0)
    for day, group in groupby(entries, key=lambda entry: entry.first[DATE]):
        yield f"{day}:"
        for entry in group:
            head = f"  {entry.first[CLOCK]}  {entry.broker:{names}}  "
            text = entry.says
            if entry.count > 1:
                text += f" ({entry.count} times, until {say_until(entry)})"
            yield from wrap(text, width, head, " " * (len(head) + 2))


def say_until(entry: TimelineEntry | LogFinding) -> str:
    """The last time, without a date that is the first one's."""
    same = entry.last[DATE] == entry.first[DATE]
    return entry.last[CLOCK] if same else entry.last


def render_sign(sign: Sign, findings: list[LogFinding], width: int) -> Iterator[str]:
    """A sign, where it was found, what it means, and what to do."""
    mark = "-" if sign.is_note else "!"
    yield from wrap(f"{sign.what} ({sign.name})", width, f"{mark} ", "  ")
    for finding in findings:
        yield from wrap(say_finding(finding), width, "    ", "      ")
    yield from wrap(sign.means, width, "  ", "  ")
    yield from wrap(f"Do: {say_advice(sign)}.", width, "  ", "  ")
    more = [name_page(sign.chapter)]
    more += [f"{PROGRAM} issues {issue}" for issue in sign.issues]
    yield from wrap(f"More: {'; '.join(more)}", width, "  ", "  ")


def say_advice(sign: Sign) -> str:
    """What to do; before a store is replaced, the verb that names what it holds alone decides."""
    if not sign.replaced_store:
        return sign.advice
    return f"{FIRST}: {sign.advice[:1].lower()}{sign.advice[1:]}"


FIRST = (
    f"{PROGRAM} {STORE_CHECK} on the stopped stores first: it names each record that a copy would "
    f"take away, and its advice goes before this. If it agrees"
)


def say_finding(finding: LogFinding) -> str:
    """Where and when a sign was found."""
    times = f"{finding.broker}, {finding.first}"
    if finding.count > 1 or finding.last != finding.first:
        count = f"{finding.count} times" if finding.count > 1 else "once"
        times += f" until {say_until(finding)}, {count}"
    return f"{times}: {finding.detail}" if finding.detail else times


def as_json(report: LogReport) -> dict[str, Any]:
    """The same for programs."""
    return {
        "rocketmq": report.release,
        "is_release_told": report.is_told,
        "brokers": [broker_as_json(story) for story in report.brokers],
        "time_line": [entry_as_json(entry) for entry in report.entries],
        "signs": [sign_as_json(*told) for told in gather_signs(report)],
        "not_in_logs": list(list_unseen(report.release)),
        "areas_without_a_line": list(report.list_unseen_areas()),
        "notes": list(report.notes),
    }


def broker_as_json(story: BrokerStory) -> dict[str, Any]:
    """A broker: its role, and how much of it was read."""
    return {
        "broker": story.name,
        "role": story.lives.role or None,
        "lines": story.lines,
        "known_lines": story.known,
        "known_lines_by_area": dict(sorted(story.areas.items())),
        "first": story.first or None,
        "last": story.last or None,
    }


def entry_as_json(entry: TimelineEntry) -> dict[str, Any]:
    """An entry of the time line."""
    return {
        "first": entry.first,
        "last": entry.last,
        "count": entry.count,
        "broker": entry.broker,
        "wording": entry.wording.name,
        "event": entry.wording.event or None,
        "says": entry.says,
    }


def sign_as_json(sign: Sign, findings: list[LogFinding]) -> dict[str, Any]:
    """A sign with what was found of it."""
    return {
        "sign": sign.name,
        "what": sign.what,
        "is_trouble": not sign.is_note,
        "means": sign.means,
        "do": say_advice(sign),
        "chapter": sign.chapter,
        "issues": list(sign.issues),
        "claims": list(sign.claims),
        "found": [
            {
                "broker": each.broker,
                "first": each.first,
                "last": each.last,
                "count": each.count,
                "detail": each.detail,
            }
            for each in findings
        ],
    }

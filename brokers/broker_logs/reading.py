"""The logs of a broker group as a whole: one pass over all lines, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from attrs import define, evolve, field, frozen

from brokers.broker_logs.findings import LogFinding, LogFindings, TimeLine, TimelineEntry, merge
from brokers.broker_logs.folders import BrokerLogs
from brokers.broker_logs.lines import LogLine, read_lines
from brokers.broker_logs.lives import BrokerLives
from brokers.broker_logs.watching import LogWatch, name_host
from brokers.broker_logs.wordings import (
    AREAS,
    ERROR_SIGN,
    RELEASES,
    Match,
    Matcher,
    load_plain_lines,
    load_wordings,
)
from reference.releases.releases import is_since

DETAIL_MAX = 100
"""So many characters of a line are shown (characters)."""


@define
class BrokerStory:
    """What one broker's logs say."""

    name: str
    lives: BrokerLives
    time_line: TimeLine
    lines: int = 0
    known: int = 0
    """Lines that have a wording."""
    areas: Counter[str] = field(factory=Counter)
    """How many of them are about what."""
    first: str = ""
    last: str = ""
    releases: list[str] = field(factory=lambda: list(RELEASES))
    """Those whose source has every wording so far; after an upgrade those of the latest lines."""

    def narrow(self, match: Match) -> None:
        """Take into account which releases write a line in this form."""
        writing = match.releases
        self.releases = [each for each in self.releases if each in writing] or list(writing)


@frozen
class LogReport:
    """What the logs of a group say."""

    brokers: tuple[BrokerStory, ...]
    entries: tuple[TimelineEntry, ...]
    findings: tuple[LogFinding, ...]
    notes: tuple[str, ...]
    """Files that could not be read to their end."""
    release: str
    """The oldest of ``RELEASES`` that all lines fit; 4.4.0 if they do not tell."""
    is_told: bool
    """They fit this one only."""
    recorded_release: str
    """What a recording names."""

    @property
    def known(self) -> int:
        """How many lines have a wording."""
        return sum(story.known for story in self.brokers)

    def list_unseen_areas(self) -> tuple[str, ...]:
        """What no line is about; about it the absence of signs says nothing."""
        return tuple(a for a in AREAS if not any(story.areas[a] for story in self.brokers))


def read_logs(
    brokers: Iterable[BrokerLogs],
    since: str = "",
    until: str = "",
    report: Callable[[str, int], None] | None = None,
) -> LogReport:
    """Read the logs of brokers; ``since`` and ``until`` are beginnings of times, in their order.

    What is earlier than ``since`` is read for what follows from it, and not told.
    """
    matcher = Matcher(load_wordings(), load_plain_lines())
    findings = LogFindings(since=since)
    notes: list[str] = []
    stories = []
    for broker in brokers:
        story = BrokerStory(broker.name, BrokerLives(), TimeLine(broker.name, since))
        watch = LogWatch(broker.name, findings)
        for line in read_lines(dict(broker.files), notes.append):
            if until and line.time[: len(until)] > until:
                continue
            take(story, watch, line, matcher)
            if report is not None and story.lines % 10_000 == 0:
                report(broker.name, story.lines)
        stories.append(story)
    fitting = [each for each in RELEASES if all(each in s.releases for s in stories)]
    entries = merge(story.time_line for story in stories)
    release, is_told = (fitting or [RELEASES[0]])[0], len(fitting) == 1
    return LogReport(
        tuple(stories), tuple(entries), tuple(findings), tuple(notes), release, is_told, release
    )


def choose_release(report: LogReport, release: str) -> LogReport:
    """The report for brokers of this release; its wordings are those of the nearest before it."""
    nearest = [each for each in RELEASES if is_since(release, each)]
    return evolve(report, release=nearest[-1] if nearest else RELEASES[0], recorded_release=release)


def take(story: BrokerStory, watch: LogWatch, line: LogLine, matcher: Matcher) -> None:
    """Take one line of a broker into account."""
    story.lines += 1
    story.first, story.last = story.first or line.time, line.time
    match = matcher.match(line.log, line.thread, line.text)
    if match is None:
        if line.level == "ERROR":
            watch.add(ERROR_SIGN, line.time, shorten(line.text))
        return
    story.known += 1
    story.areas[match.wording.area] += 1
    story.narrow(match)
    if match.wording.name == "last_exit":
        story.time_line.begin_life()
    wording = match.wording
    if wording.sign == ERROR_SIGN:
        watch.add(ERROR_SIGN, line.time, shorten(line.text))
    else:
        watch.see(line, match)
    story.lives.see(line, match)
    if wording.says and not story.lives.is_spare(match):
        story.time_line.add(line, wording, say(match))


def shorten(text: str) -> str:
    """The beginning of a line."""
    text = " ".join(text.split()) or "no text, only an exception"
    return text if len(text) <= DETAIL_MAX else text[: DETAIL_MAX - 1] + "…"


def say(match: Match) -> str:
    """The words of a line on a time line; a peer is named without its port."""
    fields = dict(match.fields)
    if "peer" in fields:
        fields["peer"] = name_host(match)
    return match.wording.says.format(**fields)

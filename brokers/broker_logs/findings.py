"""What was found in logs: signs of trouble by broker, and a time line with repeats folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field

from brokers.broker_logs.lines import LogLine
from brokers.broker_logs.wordings import Wording

ENTRIES_MAX = 20
"""So many entries of one wording are kept between two starts; later ones are counted."""


@define
class LogFinding:
    """A sign of trouble at one broker."""

    sign: str
    """Its name in ``properties/scenarios/procedures/``."""
    broker: str
    first: str
    last: str
    detail: str = ""
    """What the first one was about, in a few words."""
    count: int = 1


@define
class LogFindings:
    """Every sign so far, in the order in which they were first found."""

    found: dict[tuple[str, str], LogFinding] = field(factory=dict)
    since: str = ""
    """What is earlier is left out."""

    def add(self, sign: str, broker: str, time: str, detail: str = "", first: str = "") -> None:
        """Count a sign; ``first`` is when it began, if that is earlier."""
        if time < self.since:
            return
        known = self.found.get((sign, broker))
        if known is None:
            self.found[sign, broker] = LogFinding(sign, broker, first or time, time, detail)
        else:
            known.last = time
            known.count += 1

    def __iter__(self) -> Iterator[LogFinding]:
        """The signs, the earliest first."""
        return iter(sorted(self.found.values(), key=lambda each: (each.first, each.broker)))


@define
class TimelineEntry:
    """One line of a time line."""

    broker: str
    wording: Wording
    says: str
    line: LogLine
    """The first of the lines that it stands for."""
    last: str
    count: int = 1

    @property
    def first(self) -> str:
        """When it was first written."""
        return self.line.time


@define
class TimeLine:
    """What one broker did, with repeats folded."""

    broker: str
    since: str = ""
    """What is earlier is left out."""
    entries: list[TimelineEntry] = field(factory=list)
    present: dict[tuple[str, str], TimelineEntry] = field(factory=dict)
    """Entries since the latest start, by wording and words."""
    counts: dict[str, int] = field(factory=dict)
    """How many entries a wording has since then."""

    def begin_life(self) -> None:
        """The broker starts: repeats are counted anew."""
        self.present.clear()
        self.counts.clear()

    def add(self, line: LogLine, wording: Wording, says: str) -> None:
        """Tell a line; the same words again are counted, and so is the twenty-first of a kind."""
        if line.time < self.since:
            return
        name = wording.name
        key = (name, says)
        if key not in self.present and self.counts.get(name, 0) >= ENTRIES_MAX:
            key = (name, "")
        known = self.present.get(key)
        if known is not None:
            known.last = line.time
            known.count += 1
            return
        words = says if key[1] else f"{says} (and more like it)"
        entry = TimelineEntry(self.broker, wording, words, line, line.time)
        self.present[key] = entry
        self.counts[name] = self.counts.get(name, 0) + 1
        self.entries.append(entry)


def merge(lines: Iterable[TimeLine]) -> list[TimelineEntry]:
    """One time line of all brokers; entries of the same second stay in their broker's order."""
    entries = (entry for line in lines for entry in line.entries)
    return sorted(entries, key=lambda each: each.first)

"""The table of ``spec/recording.md``: alarms of the recordings of real brokers.

``python -m tests.reference.recorder.alarms_page`` writes it anew (two seconds).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from reference.recorder.watch.alarms import Alarm
from reference.recorder.watch.playing import play_all
from reference.recordings.reading import read_recording
from tests.reference.recordings.recordings_page import replace_table
from tests.reference.recordings.shared import ALL

PAGE = Path(__file__).parents[3] / "spec" / "recording.md"
NAME = "alarms"
ROW = re.compile(
    r"^\| `(\w+)` \| `(\w+)` \| (\w+) \| (\d+) \| ([\d.]+) s \| (.*) \|$", re.MULTILINE
)

Row = tuple[str, str, int, str, str]
"""Alarm, subject, how often, when first, and its facts then."""


def list_alarms(path: Path) -> list[Row]:
    """The alarms of a recording, each kind and subject once."""
    first: dict[tuple[str, str], tuple[int, Alarm]] = {}
    for alarm in play_all(read_recording(path)):
        key = (alarm.definition.name, alarm.subject)
        if not alarm.is_over:
            first[key] = (alarm.count, first.get(key, (0, alarm))[1])
    return [
        (name, subject, count, f"{alarm.raised_ms / 1000:.3f}", alarm.text)
        for (name, subject), (count, alarm) in first.items()
    ]


def render_rows() -> Iterator[str]:
    """The table."""
    yield "| Recording | alarm | of | times | first at | facts then |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for path in ALL:
        for name, subject, count, at, text in list_alarms(path):
            yield f"| `{path.stem}` | `{name}` | {subject} | {count} | {at} s | {text} |"


def read_table(text: str) -> dict[str, list[Row]]:
    """What the page says, by recording."""
    part = re.search(rf"<!-- begin generated: {NAME} -->\n(.*?)<!-- end", text, re.DOTALL)
    assert part is not None
    found: dict[str, list[Row]] = {}
    for stem, name, subject, count, at, facts in ROW.findall(part[1]):
        found.setdefault(stem, []).append((name, subject, int(count), at, facts))
    return found


def list_alarming() -> list[Path]:
    """The recordings in the table."""
    table = read_table(PAGE.read_text(encoding="utf-8"))
    return [path for path in ALL if path.stem in table]


def update_page(text: str) -> str:
    """The page with the table as it should be."""
    return replace_table(text, NAME, "\n".join(render_rows()))


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""The tables of ``spec/recording.md``: definitions, figures, alarms in recordings.

``./rmqspec renew "alarms in recordings"`` writes it anew.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from brokers.recorder.nodes import Nodes
from brokers.recorder.recorder import open_recorder
from brokers.recorder.watch.alarms import DEFINITIONS, Alarm
from brokers.recorder.watch.output import PREFIX, list_watch_metrics
from brokers.recorder.watch.playing import play_all
from brokers.recorder.watch.watch import Watch
from brokers.recordings.reading import read_recording
from properties.verdicts.storage.certificate_files import write_whole
from tests.brokers.recordings.recordings_page import replace_table
from tests.brokers.recordings.shared import ALL

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


def render_definitions() -> Iterator[str]:
    """What each alarm means, and which facts it needs."""
    yield "| Alarm | severity | meaning | facts | ends |"
    yield "| --- | --- | --- | --- | --- |"
    for each in DEFINITIONS:
        where = f"[{each.meaning}]({each.page})"
        over = each.over or "at once"
        yield f"| `{each.name}` | {each.severity} | {where} | {each.facts} | {over} |"


def render_figures() -> Iterator[str]:
    """What Prometheus reads."""
    folder = Path(tempfile.mkdtemp())
    recorder = open_recorder(folder / "pair.jsonl", 0, Nodes(), print)
    metrics = [*list_watch_metrics(Watch(print)), *recorder.list_metrics()]
    recorder.journal.close(is_done=True)
    folder.rmdir()
    yield "| Name | kind | meaning |"
    yield "| --- | --- | --- |"
    for metric in metrics:
        yield f"| `{PREFIX}{metric.name}` | {metric.kind} | {metric.help} |"


def update_page(text: str) -> str:
    """The page with the tables as they should be."""
    for name, rows in (
        ("definitions", render_definitions()),
        ("figures", render_figures()),
        (NAME, render_rows()),
    ):
        text = replace_table(text, name, "\n".join(rows))
    return text


if __name__ == "__main__":
    write_whole(PAGE, update_page(PAGE.read_text(encoding="utf-8")))

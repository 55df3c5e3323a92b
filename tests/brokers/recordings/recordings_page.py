"""The tables of ``spec/recordings.md`` that say how much of each recording is explained.

``./rmqspec renew "tables of recordings"`` writes them anew; that of the releases is written by
``release_table``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from brokers.recordings.judging import TraceVerdict, check_trace
from command_line.answers.recordings.acknowledged import name
from properties.verdicts.storage.certificate_files import write_whole
from reference.releases.versions import parse_version
from tests.brokers.recordings.shared import DATA, LATER, LATEST, TRACES

__all__ = ["DATA", "PAGE", "PATHS", "TRACES", "VERSIONS"]

PATHS = (*sorted(TRACES.glob("*.jsonl")), *sorted(LATER.glob("*.jsonl")))
PAGE = Path(__file__).parents[3] / "spec" / "recordings.md"

VERSIONS = tuple(
    parse_version(name) for name in ("4.4.0", "4.5.2", "4.6.0", "4.8.0", "4.9.3", "4.9.8")
)
"""Releases at which something began that a recording can show, and the two that were recorded."""

FOLDERS: Mapping[str, Path] = {
    "conformance": TRACES,
    "later conformance": LATER,
    "latest conformance": LATEST,
}
"""The recordings of each generated part of the page, by its marker."""


def render_row(path: Path, verdict: TraceVerdict) -> str:
    """The line about one recording."""
    numbers = (verdict.events, verdict.explained, verdict.ignored, verdict.fields_checked)
    return f"| `{path.stem}` | {' | '.join(map(str, numbers))} | {verdict.verdict} |"


def render_conformance(verdicts: Mapping[Path, TraceVerdict]) -> str:
    """What is to be said about each of these recordings, as a Markdown table."""
    lines = [
        "| Recording | events | explained | ignored | fields checked | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*lines, *(render_row(path, verdict) for path, verdict in verdicts.items())])


def render_acknowledged(verdicts: Mapping[Path, TraceVerdict]) -> str:
    """The recordings in which an acknowledged message was on no slave at first, or was lost."""
    lines = ["| Recording | acknowledged | on no slave | lost |", "| --- | --- | --- | --- |"]
    for path, verdict in verdicts.items():
        told = [g.acknowledged for g in verdict.groups if g.acknowledged is not None]
        unreceived = [seq for each in told for seq in each.unreceived]
        lost = sorted(seq for each in told for seq, _ in each.lost)
        if unreceived or lost:
            seqs = (name(seqs) if seqs else "" for seqs in (unreceived, lost))
            puts = sum(each.puts for each in told)
            lines.append(f"| `{path.stem}` | {puts} | {' | '.join(seqs)} |")
    return "\n".join(lines)


def update_page(text: str) -> str:
    """The page with the tables as they should be."""
    judged: dict[Path, TraceVerdict] = {}
    for marker, folder in FOLDERS.items():
        verdicts = {path: check_trace(path) for path in sorted(folder.glob("*.jsonl"))}
        judged |= verdicts
        text = replace_table(text, marker, render_conformance(verdicts))
    return replace_table(text, "acknowledged", render_acknowledged(judged))


def replace_table(text: str, name: str, table: str) -> str:
    """The page with this table in the generated part of this name."""
    begin, end = f"<!-- begin generated: {name} -->\n", f"\n<!-- end generated: {name} -->"
    part = re.compile(f"{begin}.*?{end.lstrip()}", re.DOTALL)
    return part.sub(lambda _: f"{begin}{table}{end}", text)


if __name__ == "__main__":
    write_whole(PAGE, update_page(PAGE.read_text(encoding="utf-8")))

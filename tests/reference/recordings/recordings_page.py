"""The tables of ``spec/recordings.md``: what conforms, and under which versions.

``python -m tests.reference.recordings.recordings_page`` writes them anew (half a minute).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from properties.mutants.replay_judges import read_recordings
from reference.recordings.judging import TraceVerdict, check_recording, find_version
from reference.recordings.reading import Recording, read_recording
from reference.releases.versions import Version, parse_version

DATA = Path(__file__).parents[2] / "data"
TRACES = DATA / "traces"
LATER = DATA / "traces_498"
PATHS = (*sorted(TRACES.glob("*.jsonl")), *sorted(LATER.glob("*.jsonl")))
PAGE = Path(__file__).parents[3] / "spec" / "recordings.md"

VERSIONS = tuple(
    parse_version(name) for name in ("4.4.0", "4.5.2", "4.6.0", "4.8.0", "4.9.3", "4.9.8")
)
"""Releases at which something began that a recording can show, and the two that were recorded."""


@frozen
class Row:
    """One recording under several versions."""

    file: str
    """The recording, as it was named."""
    recorded: str
    """The version that it names; empty where nobody knows that one."""
    verdicts: tuple[TraceVerdict, ...]
    """One for each version, in their order."""

    def list_telling(self) -> tuple[int | None, ...]:
        """By version the event that cannot be explained; None where all of them can."""
        return tuple(verdict.first_unexplained_seq for verdict in self.verdicts)


def compute_row(recording: Recording, versions: Sequence[Version] = VERSIONS) -> Row:
    """The verdicts on one recording under each version; some hundredths of a second each."""
    named = find_version(recording)
    verdicts = tuple(check_recording(recording, version=version) for version in versions)
    return Row(recording.file, named.name if named else "", verdicts)


def render_table(rows: Iterable[Row], versions: Sequence[Version] = VERSIONS) -> str:
    """The rows in Markdown: ``yes`` where a recording conforms, else the telling event."""
    lines = [
        " | ".join(["| Recording", "of", *(version.name for version in versions)]) + " |",
        "| --- | --- |" + " --- |" * len(versions),
    ]
    for row in rows:
        name = row.file.rpartition("/")[2].removesuffix(".jsonl")
        cells = ("yes" if seq is None else f"seq {seq}" for seq in row.list_telling())
        lines.append(" | ".join([f"| `{name}`", row.recorded, *cells]) + " |")
    return "\n".join(lines)


def render_conformance(folder: Path) -> str:
    """What the checker says about each recording of a folder, as a Markdown table."""
    lines = [
        "| Recording | events | explained | ignored | fields checked | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, recording in sorted(read_recordings(folder).items()):
        v = check_recording(recording)
        numbers = f"{v.events} | {v.explained} | {v.ignored} | {v.fields_checked}"
        lines.append(f"| `{name}` | {numbers} | {v.verdict} |")
    return "\n".join(lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "conformance": lambda: render_conformance(TRACES),
    "later conformance": lambda: render_conformance(LATER),
    "versions": lambda: render_table(compute_row(read_recording(path)) for path in PATHS),
}
"""The generated parts of the page, by their marker."""


def update_page(text: str, *names: str) -> str:
    """The page with these tables as they should be; without names with all of them."""
    for name in names or TABLES:
        text = replace_table(text, name, TABLES[name]())
    return text


def replace_table(text: str, name: str, table: str) -> str:
    """The page with this table in the generated part of this name."""
    begin, end = f"<!-- begin generated: {name} -->\n", f"\n<!-- end generated: {name} -->"
    part = re.compile(f"{begin}.*?{end}", re.DOTALL)
    return part.sub(lambda _: f"{begin}{table}{end}", text)


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

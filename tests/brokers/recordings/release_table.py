"""At which event a recording is refused by the rules of another release.

``./rmqspec renew "recordings under other releases"`` writes
``tests/data/recordings_by_release.json`` and the table of the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from brokers.recordings.judging import CONFORMS, UNDECIDED, check_recording, find_version
from brokers.recordings.reading import Recording, read_recording
from properties.verdicts.storage.certificate_files import write_whole
from reference.releases.versions import Version
from tests.brokers.recordings.recordings_page import DATA, PAGE, PATHS, VERSIONS, replace_table

TABLE = DATA / "recordings_by_release.json"

PART = "versions"
"""The generated part of the page."""


@frozen
class Cell:
    """The verdict on a recording under one version."""

    word: str
    """CONFORMS, REJECTED or UNDECIDED."""
    seq: int | None = None
    """The first event that is not explained."""

    def describe(self) -> str:
        """As a cell of a table."""
        if self.word == CONFORMS:
            return "yes"
        return f"seq {self.seq}{'?' if self.word == UNDECIDED else ''}"


@frozen
class Row:
    """One recording under each version."""

    name: str
    recorded: str
    """The version that it names."""
    cells: tuple[Cell, ...]
    """By version."""


def compute_row(path: Path, versions: Sequence[Version] = VERSIONS) -> Row:
    """A recording under each version."""
    recording = read_recording(path)
    named = find_version(recording)
    cells = tuple(compute_cell(recording, version) for version in versions)
    return Row(path.stem, named.name if named else "", cells)


def compute_cell(recording: Recording, version: Version) -> Cell:
    """A recording under one version."""
    verdict = check_recording(recording, version=version)
    return Cell(verdict.verdict, verdict.first_unexplained_seq)


def load() -> list[Row]:
    """The rows of the file."""
    rows: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
    return [
        Row(row["name"], row["recorded"], tuple(Cell(word, seq) for word, seq in row["cells"]))
        for row in rows
    ]


def render(rows: Sequence[Row], versions: Sequence[Version] = VERSIONS) -> Iterator[str]:
    """The rows in Markdown: ``yes`` where a recording conforms, else the telling event."""
    yield " | ".join(["| Recording", "of", *(version.name for version in versions)]) + " |"
    yield "| --- | --- |" + " --- |" * len(versions)
    for row in rows:
        cells = (cell.describe() for cell in row.cells)
        yield " | ".join([f"| `{row.name}`", row.recorded, *cells]) + " |"


def main() -> None:
    """Writes the file and the page."""
    write()
    page = replace_table(PAGE.read_text(encoding="utf-8"), PART, "\n".join(render(load())))
    write_whole(PAGE, page)


def write() -> None:
    """Computes the file."""
    rows = []
    for path in PATHS:
        row = compute_row(path)
        print(row.name, [cell.describe() for cell in row.cells], file=sys.stderr, flush=True)
        cells = [[cell.word, cell.seq] for cell in row.cells]
        rows.append({"name": row.name, "recorded": row.recorded, "cells": cells})
    told = ",\n".join(json.dumps(row) for row in rows)
    names = json.dumps([version.name for version in VERSIONS])
    text = f'{{"versions": {names},\n"rows": [\n{told}\n]}}\n'
    write_whole(TABLE, text)


if __name__ == "__main__":
    main()

"""At which event a recording is refused by the rules of another release, by plan and by search.

``python -m tests.reference.recordings.versions_by_search`` writes
``tests/data/versions_by_search.json`` (a quarter of an hour on a small machine) and the table of
the page; with ``--table`` only the table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from reference.recordings.log.judging import is_searchable, search_recording

from reference.recordings.groups import OutsideTheModel
from reference.recordings.judging import check_recording, find_version
from reference.recordings.reading import Recording, read_recording
from reference.releases.versions import Version
from tests.reference.recordings.recordings_page import PAGE, PATHS, VERSIONS, replace_table

TABLE = Path(__file__).parents[2] / "data" / "versions_by_search.json"

PART = "versions by search"
"""The generated part of the page."""

STEPS_MAX = 20_000
"""So many steps the search may try for one recording under one version."""

CONFORMS, OUTSIDE = "conforms", "outside"


@frozen
class Cell:
    """What the search says of a recording under one version."""

    word: str
    """CONFORMS, refused, undecided or OUTSIDE."""
    seq: int | None = None
    """The first event that is not explained."""

    def describe(self) -> str:
        """As a cell of a table."""
        if self.seq is None:
            return "yes" if self.word == CONFORMS else self.word
        return f"seq {self.seq}{'?' if self.word == 'undecided' else ''}"


@frozen
class Row:
    """One recording under each version."""

    name: str
    recorded: str
    """The version that it names."""
    plan: tuple[int | None, ...]
    """By version: the first event that the plan cannot explain; None for none."""
    search: tuple[Cell, ...]


def compute_row(path: Path, versions: Sequence[Version] = VERSIONS) -> Row:
    """A recording under each version, by both ways."""
    recording = read_recording(path)
    named = find_version(recording)
    plan = tuple(
        check_recording(recording, version=version).first_unexplained_seq for version in versions
    )
    cells = tuple(search(recording, version) for version in versions)
    return Row(path.stem, named.name if named else "", plan, cells)


def search(recording: Recording, version: Version) -> Cell:
    """What the search says under one version."""
    try:
        found = search_recording(recording, version.name, STEPS_MAX)
    except OutsideTheModel:
        return Cell(OUTSIDE)
    stopped = [each for each in found if each.seq is not None]
    if not stopped:
        return Cell(CONFORMS)
    first = min(stopped, key=lambda each: each.seq or 0)
    return Cell(first.word, first.seq)


def list_searchable() -> list[Path]:
    """The recordings whose events the search all looks at."""
    return [path for path in PATHS if is_searchable(read_recording(path))]


def load() -> list[Row]:
    """The rows of the file."""
    rows: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
    return [
        Row(
            row["name"],
            row["recorded"],
            tuple(row["plan"]),
            tuple(Cell(word, seq) for word, seq in row["search"]),
        )
        for row in rows
    ]


def render(rows: Sequence[Row], versions: Sequence[Version] = VERSIONS) -> Iterator[str]:
    """The rows in Markdown: what the plan says, and what the search says where it differs."""
    yield " | ".join(["| Recording", "of", *(version.name for version in versions)]) + " |"
    yield "| --- | --- |" + " --- |" * len(versions)
    for row in rows:
        cells = []
        for seq, cell in zip(row.plan, row.search, strict=True):
            plan = "yes" if seq is None else f"seq {seq}"
            told = cell.describe()
            cells.append(plan if told == plan else f"{plan}; {told}")
        yield " | ".join([f"| `{row.name}`", row.recorded, *cells]) + " |"


def main() -> None:
    """Writes the file and the page, or only the page."""
    if "--table" not in sys.argv[1:]:
        write()
    page = replace_table(PAGE.read_text(encoding="utf-8"), PART, "\n".join(render(load())))
    PAGE.write_text(page, encoding="utf-8")


def write() -> None:
    """Computes the file."""
    rows = []
    for path in list_searchable():
        row = compute_row(path)
        print(row.name, row.plan, [cell.describe() for cell in row.search], file=sys.stderr)
        cells = [[cell.word, cell.seq] for cell in row.search]
        rows.append({"name": row.name, "recorded": row.recorded, "plan": row.plan, "search": cells})
    told = ",\n".join(json.dumps(row) for row in rows)
    names = json.dumps([version.name for version in VERSIONS])
    command = '"command": "python -m tests.reference.recordings.versions_by_search"'
    text = (
        f'{{{command},\n"steps_max": {STEPS_MAX},\n"versions": {names},\n"rows": [\n{told}\n]}}\n'
    )
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

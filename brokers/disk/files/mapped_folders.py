"""A folder whose files all have one length, of the log or of a queue: which of them are mapped.

Source: MappedFileQueue#load; ``reference.store.mapped_file_queue.load`` tells its effect at 4.4.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from reference.releases.start_rules import StartRules


@frozen
class FoundFile:
    """A file in the folder."""

    path: Path
    size_bytes: int


def list_folder(folder: Path, rules: StartRules) -> list[FoundFile]:
    """What is in a folder, in the order of names; nothing if there is none. Raises OSError."""
    if not folder.is_dir():
        return []
    return [
        FoundFile(path, path.stat().st_size)
        for path in sorted(folder.iterdir(), key=lambda path: path.name)
        if not (rules.is_folder_skipped and path.is_dir())
    ]


def guess_size(found: Iterable[FoundFile]) -> int:
    """The length that most files have (bytes), where nothing tells it; 0: there is no file."""
    counts = Counter(f.size_bytes for f in found if f.path.name.isdecimal() and f.size_bytes)
    return counts.most_common(1)[0][0] if counts else 0


def split_by_length(
    found: list[FoundFile], size_bytes: int, rules: StartRules
) -> tuple[list[FoundFile], list[FoundFile]]:
    """The files up to the first one of another length, and those from it on."""
    if found and found[-1].size_bytes == 0 and rules.is_empty_last_file_deleted:
        found = found[:-1]
    index = next((i for i, each in enumerate(found) if each.size_bytes != size_bytes), len(found))
    return found[:index], found[index:]

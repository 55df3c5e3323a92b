"""The files of a commit log on disk, as a start maps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen

from reference.disk.files.file_bytes import FileBytes
from reference.disk.files.folders import StoreFolder
from reference.disk.start_rules import StartRules
from reference.store import java
from reference.store.java import JavaError

FILE_SIZE = "mapedFileSizeCommitLog"
LATER_FILE_SIZE = "mappedFileSizeCommitLog"
"""The same setting in later releases, which corrected its name (4.7.1)."""


@frozen
class LogFile:
    """One file of the log."""

    path: Path
    begin_offset: int
    """Its name: the offset of its first byte."""
    size_bytes: int

    @property
    def end_offset(self) -> int:
        """Where the next file begins."""
        return self.begin_offset + self.size_bytes

    @property
    def data(self) -> FileBytes:
        """Its bytes."""
        return FileBytes(self.path, self.size_bytes)


@frozen
class LogFiles:
    """The log's files in order, those that a start ignores, and why it fails, if it does."""

    file_size_bytes: int
    """0: no file tells it."""
    files: tuple[LogFile, ...] = ()
    ignored: tuple[Path, ...] = ()
    """Files behind one of another length."""
    problem: str = ""
    """Why the broker does not start; empty if it does."""

    @property
    def begin_offset(self) -> int:
        """``getMinPhyOffset``; 0 without a file."""
        return self.files[0].begin_offset if self.files else 0

    @property
    def mapped_end_offset(self) -> int:
        """Where the last file ends; 0 without one."""
        return self.files[-1].end_offset if self.files else 0

    def find_file(self, offset: int) -> LogFile | None:
        """The file that has an offset."""
        return next((f for f in self.files if f.begin_offset <= offset < f.end_offset), None)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes from an offset on, within its file; none where there is no file."""
        file = self.find_file(offset)
        return file.data.read(offset - file.begin_offset, length) if file else b""

    def list_missing(self) -> Iterator[tuple[int, int]]:
        """Offsets between files that have no file, as begin and end."""
        for one, next_one in zip(self.files, self.files[1:], strict=False):
            if one.end_offset < next_one.begin_offset:
                yield one.end_offset, next_one.begin_offset


@frozen
class _Found:
    path: Path
    size_bytes: int = field(eq=False)


def list_log_files(folder: StoreFolder, rules: StartRules) -> LogFiles:
    """The files that a start maps (``MappedFileQueue#load``). Raises OSError."""
    found = _list_folder(folder.commit_log, rules)
    size = folder.get_number(FILE_SIZE, folder.get_number(LATER_FILE_SIZE, 0)) or _guess(found)
    if found and found[-1].size_bytes == 0 and rules.is_empty_last_file_deleted:
        found = found[:-1]
    files: list[LogFile] = []
    for index, each in enumerate(found):
        if each.size_bytes != size:
            left = tuple(f.path for f in found[index:])
            problem = _tell_length(each, size) if rules.is_other_length_refused else ""
            return LogFiles(size, tuple(files), left, problem)
        try:
            begin = java.parse_integer(each.path.name, java.LONG_BITS)
        except JavaError:
            left = tuple(f.path for f in found[index:])
            problem = f"the name of {each.path.name} in the log's folder is not a number"
            return LogFiles(size, tuple(files), left, problem)
        files.append(LogFile(each.path, begin, size))
    return LogFiles(size, tuple(files))


def _list_folder(folder: Path, rules: StartRules) -> list[_Found]:
    if not folder.is_dir():
        return []
    paths = sorted(folder.iterdir(), key=lambda path: path.name)
    return [
        _Found(path, path.stat().st_size)
        for path in paths
        if not (rules.is_folder_skipped and path.is_dir())
    ]


def _guess(found: list[_Found]) -> int:
    """The length that most files have: nothing but ``broker.conf`` says which is configured."""
    counts = Counter(f.size_bytes for f in found if f.path.name.isdecimal() and f.size_bytes)
    return counts.most_common(1)[0][0] if counts else 0


def _tell_length(found: _Found, size: int) -> str:
    return f"{found.path.name} in the log's folder has {found.size_bytes} bytes, not {size}"

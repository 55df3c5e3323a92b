"""The files of a commit log on disk, as a start maps them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from brokers.disk.files.file_bytes import FileBytes
from brokers.disk.files.folders import StoreFolder
from brokers.disk.files.mapped_folders import guess_size, list_folder, split_by_length
from reference.releases.start_rules import StartRules
from reference.store import java
from reference.store.java import JavaError

FILE_SIZE = "mapedFileSizeCommitLog"


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

    def list_covered(self) -> Iterator[tuple[int, int]]:
        """Offsets that have a file, as begin and end of each run of files."""
        begin = self.begin_offset
        for low, high in self.list_missing():
            yield begin, low
            begin = high
        if self.files:
            yield begin, self.mapped_end_offset

    def has_file_for(self, begin: int, end: int) -> bool:
        """Every offset between two has a file."""
        return any(low <= begin and end <= high for low, high in self.list_covered())

    def list_missing(self) -> Iterator[tuple[int, int]]:
        """Offsets between files that have no file, as begin and end."""
        for one, next_one in zip(self.files, self.files[1:], strict=False):
            if one.end_offset < next_one.begin_offset:
                yield one.end_offset, next_one.begin_offset


def list_log_files(folder: StoreFolder, rules: StartRules) -> LogFiles:
    """The files that a start maps (``MappedFileQueue#load``). Raises OSError."""
    found = list_folder(folder.commit_log, rules)
    size = folder.get_number(FILE_SIZE) or guess_size(found)
    mapped, ignored = split_by_length(found, size, rules)
    problem = ""
    if ignored and rules.is_other_length_refused:
        other = ignored[0]
        problem = f"{other.path.name} in the log's folder has {other.size_bytes} bytes, not {size}"
    files: list[LogFile] = []
    for index, each in enumerate(mapped):
        try:
            begin = java.parse_integer(each.path.name, java.LONG_BITS)
        except JavaError:
            ignored = [*mapped[index:], *ignored]
            problem = f"the name of {each.path.name} in the log's folder is not a number"
            break
        files.append(LogFile(each.path, begin, size))
    return LogFiles(size, tuple(files), tuple(each.path for each in ignored), problem)

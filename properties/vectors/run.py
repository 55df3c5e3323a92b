"""Vectors asked of a driver, and what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import Factory, define

from properties.vectors.archive import Archive, ArchiveError, VectorFile
from properties.vectors.differences import AnswerDifference, list_differences
from properties.vectors.driver import Driver, DriverError, run_driver

TIMEOUT_SECONDS = 10.0

Tell = Callable[[int, int, str], None]
"""Hears how many questions are answered, of how many, and of which set."""


@define
class SetResult:
    """A set's questions, and their answers."""

    name: str
    total: int
    alike: int = 0
    different: int = 0
    unsupported: int = 0
    differences: list[AnswerDifference] = Factory(list)

    @property
    def asked(self) -> int:
        """How many were answered, or refused as unsupported."""
        return self.alike + self.different + self.unsupported


@define
class Run:
    """All sets."""

    release: str
    driver: str = ""
    """The name that it tells."""
    sets: list[SetResult] = Factory(list)
    problem: str = ""
    """Why the run ended early; empty: it did not."""

    @property
    def answered(self) -> int:
        """Questions with an answer."""
        return sum(each.alike + each.different for each in self.sets)

    @property
    def different(self) -> int:
        """Questions with another answer than the expected one."""
        return sum(each.different for each in self.sets)


def choose_files(archive: Archive, release: str, names: Sequence[str]) -> list[VectorFile]:
    """The files of some sets, or of all. Raises ArchiveError for a set that there is not."""
    files = archive.list_files(release)
    known = [file.set_name for file in files]
    for name in names:
        if name not in known:
            raise ArchiveError(f"{release} has no set {name!r}; it has {', '.join(known)}")
    return [file for file in files if not names or file.set_name in names]


def run_vectors(  # noqa: PLR0913
    archive: Archive,
    command: str,
    release: str,
    *,
    names: Sequence[str] = (),
    timeout_seconds: float = TIMEOUT_SECONDS,
    tell: Tell = lambda done, total, name: None,
) -> Run:
    """Ask a driver every question of some sets, or of all.

    A driver that dies, hangs or writes anything else than answers ends the run; what was answered
    before stays. Raises ArchiveError for an unknown release or set.
    """
    files = choose_files(archive, release, names)
    run = Run(release, sets=[SetResult(file.set_name, file.count) for file in files])
    total = sum(file.count for file in files)
    try:
        with run_driver(command, timeout_seconds) as driver:
            driver.greet(release, [file.set_name for file in files])
            run.driver = driver.name
            for file, result in zip(files, run.sets, strict=True):
                for _ in ask_set(archive, file, driver, result):
                    tell(sum(each.asked for each in run.sets), total, file.set_name)
    except DriverError as problem:
        run.problem = str(problem)
    return run


def ask_set(
    archive: Archive, file: VectorFile, driver: Driver, result: SetResult
) -> Iterator[None]:
    """Ask a set's questions, one at a time, and count. Raises DriverError."""
    sections = archive.manifest["sections"]
    for vector in archive.read_vectors(file):
        yield
        given = driver.answer(vector)
        if given is None:
            result.unsupported += 1
            continue
        found = list(list_differences(vector, given, file.optional, sections))
        result.differences += found
        if found:
            result.different += 1
        else:
            result.alike += 1

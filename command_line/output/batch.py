"""Batches of files: the good ones are answered, and every bad one is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from attrs import define, field

from command_line.output.failures import is_bad_input

Result = TypeVar("Result")


class BatchError(Exception):
    """Files that cannot be used: a line for each problem, in the order of reading."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__(*self.problems)


@define
class Batch:
    """Files that are worked on one after another, with the problems of those that are bad."""

    problems: list[str] = field(factory=list)

    def attempt(self, work: Callable[[], Result]) -> Result | None:
        """The result of work on a file; None where the file is bad, which is kept as a problem."""
        try:
            return work()
        except Exception as problem:
            if not is_bad_input(problem):
                raise
            self.problems += getattr(problem, "problems", (str(problem),))
            return None

    def finish(self) -> None:
        """Raises BatchError with the problems of all files, where there are any."""
        if self.problems:
            raise BatchError(self.problems)

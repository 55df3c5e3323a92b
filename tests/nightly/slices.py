"""The nightly tests in slices of about a minute each, by what the tests cost.

All files of tests lie end to end on a line, each as long as its nightly tests cost, and a slice is
one of equal stretches. A test belongs to the slice in which its middle lies. So a slice collects
few files, all slices together are all tests, and a new test moves the others little. The tests that
take long alone do not lie on the line: each is a slice of its own, after the others.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from pathlib import Path

from attrs import define

ROOT = Path(__file__).parents[2]
COSTS = Path(__file__).with_name("costs.toml")

DEFAULT = 3.0
"""Seconds that a file or a function of tests is taken to cost that was never measured."""


@define(frozen=True)
class Costs:
    """What is known of the tests' costs, in seconds of one core.

    ``files`` has for each file the cost of its test functions, each for all its nightly tests
    together, and that of single tests that cost much more than the others of their function.
    ``alone`` has the tests that are slices of their own.
    """

    shared: int
    files: Mapping[str, Mapping[str, float]]
    alone: Mapping[str, float]

    @property
    def count(self) -> int:
        """The number of slices."""
        return self.shared + len(self.alone)

    def list_short(self, seconds: float | None) -> list[int]:
        """The slices that are not known to take longer, if there is a limit."""
        costs = [0.0] * self.shared + [*self.alone.values()]
        return [i for i, cost in enumerate(costs) if seconds is None or cost <= seconds]

    def weigh(self, file: str, names: Sequence[str]) -> list[float]:
        """What each of a file's tests costs; a name is what follows the file in a test's id."""
        known = self.files.get(file, {})
        alike = Counter(get_function(name) for name in names if name not in known)
        return [
            known[name]
            if name in known
            else known.get(get_function(name), DEFAULT) / alike[get_function(name)]
            for name in names
        ]


@define(frozen=True)
class Slice:
    """One slice: which files it collects and which of their nightly tests it runs."""

    number: int
    costs: Costs
    places: Mapping[str, tuple[float, float]]
    """Where each file begins and ends on the line, whose length is the number of shared slices."""

    def find_files(self) -> set[str]:
        """The files that it collects."""
        if self.number >= self.costs.shared:
            return {self.get_alone().partition("::")[0]}
        return {
            file
            for file, (start, end) in self.places.items()
            if start < self.number + 1 and end > self.number
        }

    def get_alone(self) -> str:
        """The one test of a slice that is not shared."""
        return list(self.costs.alone)[self.number - self.costs.shared]

    def choose(self, tests: Iterable[str]) -> set[str]:
        """Those of the nightly tests of whole files, by their ids, that it runs."""
        if self.number >= self.costs.shared:
            return {self.get_alone()} & {*tests}
        chosen = set()
        on_the_line = [test for test in tests if test not in self.costs.alone]
        for file, group in groupby(sorted(on_the_line, key=get_file), get_file):
            alike = list(group)
            places = zip(alike, self.place(file, alike), strict=True)
            chosen |= {test for test, number in places if number == self.number}
        return chosen

    def place(self, file: str, tests: Sequence[str]) -> list[int]:
        """The slice in which each of a file's tests lies."""
        start, end = self.places[file]
        weights = self.costs.weigh(file, [test.partition("::")[2] for test in tests])
        ends = list(accumulate(weights))
        middles = [(e - weight / 2) / ends[-1] for e, weight in zip(ends, weights, strict=True)]
        return [int(start + (end - start) * middle) for middle in middles]


def get_file(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def get_function(name: str) -> str:
    """The function of a test, which may be called with several parameters."""
    return name.partition("[")[0]


def read_costs() -> Costs:
    """The costs that were measured."""
    return parse_costs(COSTS.read_text())


def parse_costs(text: str) -> Costs:
    """The costs as they are written down."""
    read = tomllib.loads(text)
    return Costs(read["shared"], read["files"], read["alone"])


def make_slice(number: int, costs: Costs, files: Iterable[str]) -> Slice:
    """The slice with this number, of the tests in these files."""
    ordered = sorted(files)
    lengths = [sum(costs.files.get(file, {}).values()) or DEFAULT for file in ordered]
    ends = [0.0, *accumulate(lengths)]
    line = [costs.shared * end / ends[-1] for end in ends]
    return Slice(number, costs, dict(zip(ordered, pairwise(line), strict=True)))


def find_slice(number: int, costs: Costs) -> Slice:
    """The slice of this project's nightly tests with this number."""
    files = (ROOT / "tests").rglob("test_*.py")
    return make_slice(number, costs, {path.relative_to(ROOT).as_posix() for path in files})

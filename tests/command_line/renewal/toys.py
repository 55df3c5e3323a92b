"""Toy artefacts: files in a folder, each with the sum of the files that it needs, and one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from command_line.renewal.artefact import Artefact, Need, Say
from command_line.renewal.walk import RenewalOutcome, Word, renew_all


class Toys:
    """Artefacts in a folder."""

    def __init__(self, folder: Path) -> None:
        """None yet."""
        self.folder = folder
        self.artefacts: list[Artefact] = []
        self.known: dict[str, str] = {}

    def read(self, name: str) -> str:
        """A file, read once in a process. Raises OSError if it is missing."""
        if name not in self.known:
            self.known[name] = (self.folder / name).read_text()
        return self.known[name]

    def compute(self, needs: tuple[str, ...]) -> str:
        """What a file with these needs has to hold. Raises OSError if one of them is missing."""
        return str(1 + sum(int(self.read(name)) for name in needs))

    def add(
        self,
        name: str,
        *needs: str,
        make: Callable[[Say], str] | None = None,
        need: Need = Need.PAGE,
    ) -> None:
        """One more; ``make`` instead of what it should do."""
        path = self.folder / name

        def is_current() -> bool:
            return self.read(name) == self.compute(needs)

        def write(say: Say) -> str:
            say("adding up")
            path.write_text(self.compute(needs))
            with (self.folder / "log").open("a") as log:
                log.write(f"{name}\n")
            return f"it is {path.read_text()}"

        self.artefacts.append(Artefact(name, need, is_current, make or write, needs))

    def renew(self, jobs: int = 2) -> dict[str, tuple[Word, str]]:
        """What becomes of each."""
        return as_words(renew_all(self.artefacts, lambda *_: None, jobs))

    @property
    def log(self) -> list[str]:
        """What was made, in order."""
        path = self.folder / "log"
        return path.read_text().split() if path.exists() else []


def as_words(outcomes: Iterable[RenewalOutcome]) -> dict[str, tuple[Word, str]]:
    """Outcomes by name."""
    return {outcome.artefact.name: (outcome.word, outcome.text) for outcome in outcomes}


def make_diamond(folder: Path) -> Toys:
    """Given from its end: d needs b and c, which need a."""
    toys = Toys(folder)
    toys.add("d", "b", "c")
    toys.add("c", "a", need=Need.ANSWER)
    toys.add("b", "a")
    toys.add("a")
    return toys

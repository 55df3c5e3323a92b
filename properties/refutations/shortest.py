"""What a breadth-first search over all states says of the counterexamples' lengths, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attrs import asdict, frozen

SHORTEST_FILE = Path(__file__).parent / "shortest.json"


@frozen
class Shortest:
    """The length of a first violation."""

    claim: str
    steps: int
    states: int
    """Distinct states that were met until then."""


def save_shortest(found: Iterable[Shortest]) -> None:
    """Write the file."""
    text = json.dumps([asdict(each) for each in found], indent=1)
    SHORTEST_FILE.write_text(text + "\n", encoding="utf-8")


@cache
def load_shortest() -> dict[str, Shortest]:
    """Every entry by its guarantee."""
    entries = json.loads(SHORTEST_FILE.read_text(encoding="utf-8"))
    return {entry["claim"]: Shortest(**entry) for entry in entries}

"""The table of words and severities: rows, fault classes, single faults, causes."""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

WORDS_FILE = Path(__file__).with_name("words.toml")


class Grade(enum.Enum):
    """How grave a fear is in one group; the gravest last."""

    NOT_PROMISED = "-"
    """Nothing is promised here, so nothing can be broken."""
    OK = "ok"
    """Proved under every fault class."""
    RISK = "risk"
    """Broken by a rare failure, a circumstance, or several failures together."""
    UNDECIDED = "?"
    """Not decided, so it may be as bad as a loss."""
    LOSS = "loss"
    """Broken by one common failure, or without any."""


class Kind(enum.Enum):
    """What sort of failure a fault class is; the weakest, which is the gravest, first."""

    UNFAILED = "unfailed"
    COMMON = "common"
    RARE = "rare"
    COMBINED = "combined"

    @property
    def order(self) -> int:
        """Its place, 0 for the gravest."""
        return list(Kind).index(self)

    @property
    def grade(self) -> Grade:
        """How grave it is that a claim falls under such a failure."""
        return Grade.LOSS if self in (Kind.UNFAILED, Kind.COMMON) else Grade.RISK


@frozen
class RowClaim:
    """A claim of a row."""

    name: str
    at_most: str = ""
    """The word of the gravest grade that its failure deserves; empty for any."""

    def cap(self, kind: Kind) -> Grade:
        """How grave it is that this claim falls under such a failure."""
        is_capped = self.at_most and kind.grade is Grade.LOSS
        return Grade(self.at_most) if is_capped else kind.grade


def _read_claims(entries: Iterable[Mapping[str, Any]]) -> tuple[RowClaim, ...]:
    return tuple(RowClaim(**entry) for entry in entries)


@frozen
class RowWords:
    """Something that an operator fears."""

    letter: str
    """How its codes begin."""
    title: str
    claim: tuple[RowClaim, ...] = field(converter=_read_claims)
    """Its claims, the gravest first."""
    slaveless: str = ""
    """Its title for a group without slaves; empty where that is the same."""
    needs_system: bool = False
    """Only the world of the whole system judges it."""
    needs_reading: bool = False
    """Of a group with slaves the world of reading has to judge it."""
    needs_waiting: bool = False
    """It is promised only where a put waits for a slave."""

    def get_title(self, slaves: int) -> str:
        """Its title for a group of so many slaves."""
        return self.slaveless if self.slaveless and not slaves else self.title


@frozen
class ColumnWords:
    """A fault class."""

    name: str
    number: int
    """What its codes end with."""
    kind: Kind = field(converter=Kind)
    words: str
    """What an operator calls it."""


@frozen
class FaultWords:
    """What may strike, counted by a field of a world's fault counts."""

    one: str = ""
    more: str = ""
    """With the number as ``{n}``, where it says something."""
    unsaid: str = ""
    """Why no schedule of the tables has it; empty where one may."""


@frozen
class Cause:
    """What happens in a schedule without a failure."""

    words: str
    explanation: str = ""
    """The class of explanation that it is about; empty for a claim of another world."""
    claim: str = ""


@frozen
class Unlisted:
    """Claims that stand in no row."""

    why: str
    claims: tuple[str, ...] = field(default=(), converter=tuple)
    worlds: tuple[str, ...] = field(default=(), converter=tuple)
    """Worlds of which no claim stands in a row."""


@frozen
class Words:
    """The whole table."""

    rows: tuple[RowWords, ...]
    columns: Mapping[str, ColumnWords]
    """By name."""
    faults: Mapping[str, FaultWords]
    """By the field that counts them."""
    causes: tuple[Cause, ...]
    unlisted: tuple[Unlisted, ...]

    def find_cause(self, explanation: str, claim: str) -> str:
        """What happens where nothing fails; empty where nobody has said it."""
        for cause in self.causes:
            if cause.claim == claim or (cause.explanation and cause.explanation == explanation):
                return cause.words
        return ""


@cache
def load_words(file: Path = WORDS_FILE) -> Words:
    """The table, in the order of the file."""
    document: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    columns = (ColumnWords(**entry) for entry in document["column"])
    return Words(
        rows=tuple(RowWords(**entry) for entry in document["row"]),
        columns={column.name: column for column in columns},
        faults={name: FaultWords(**entry) for name, entry in document["fault"].items()},
        causes=tuple(Cause(**entry) for entry in document["cause"]),
        unlisted=tuple(Unlisted(**entry) for entry in document["unlisted"]),
    )

"""The table of words and severities: rows, fault models, single faults, causes."""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

WORDS_FILE = Path(__file__).with_name("words.toml")


class Grade(enum.Enum):
    """How grave a fear is in one group, the gravest last."""

    NOT_PROMISED = "-"
    """Nothing is promised here, so nothing can be broken."""
    OK = "ok"
    """Proved under every fault model."""
    RISK = "risk"
    """Broken by a rare failure, an environment event, or several failures together."""
    UNDECIDED = "?"
    """Not decided, so it may be as bad as a loss."""
    LOSS = "loss"
    """Broken by one common failure, or without any failure."""


class FailureKind(enum.Enum):
    """The kind of failure of a fault model; the weakest, which is the gravest, first."""

    UNFAILED = "unfailed"
    COMMON = "common"
    RARE = "rare"
    COMBINED = "combined"

    @property
    def order(self) -> int:
        """Its place, 0 for the gravest."""
        return list(FailureKind).index(self)

    @property
    def grade(self) -> Grade:
        """How grave it is that such a failure breaks a claim."""
        return Grade.LOSS if self in (FailureKind.UNFAILED, FailureKind.COMMON) else Grade.RISK


@frozen
class RowClaim:
    """A claim of a row."""

    name: str
    at_most: str = ""
    """The gravest grade that it may get; empty for any."""
    kept: str = ""
    """What holds where it is proved, for an operator; empty if the screen never says so."""

    def cap(self, kind: FailureKind) -> Grade:
        """How grave it is that such a failure breaks this claim."""
        is_capped = self.at_most and kind.grade is Grade.LOSS
        return Grade(self.at_most) if is_capped else kind.grade


def _read_claims(entries: Iterable[Mapping[str, Any]]) -> tuple[RowClaim, ...]:
    return tuple(RowClaim(**entry) for entry in entries)


@frozen
class RowWords:
    """Something that an operator fears."""

    letter: str
    """The first letter of its codes."""
    title: str
    claim: tuple[RowClaim, ...] = field(converter=_read_claims)
    """Its claims, the gravest first."""
    needs_slaves: bool = False
    """Without a slave nothing of it can be broken."""
    needs_system: bool = False
    """Only the world of the whole system judges it."""
    needs_reading: bool = False
    """For a group with slaves the world of reading must judge it."""
    needs_tables: bool = False
    """For a group with slaves the worlds of tables and of delays must judge it."""
    needs_waiting: bool = False
    """It is promised only if a put waits for a slave."""
    ordinary: tuple[str, ...] = field(default=(), converter=tuple)
    """Fault models of several failures that are ordinary where this is feared."""

    def weigh(self, kind: FailureKind, fault_model: str) -> FailureKind:
        """How common a failure of this kind is here."""
        is_ordinary = kind is FailureKind.COMBINED and fault_model in self.ordinary
        return FailureKind.COMMON if is_ordinary else kind


@frozen
class FaultModelWords:
    """A fault model."""

    name: str
    number: int
    """The number at the end of its codes."""
    kind: FailureKind = field(converter=FailureKind)
    words: str
    """Its name for an operator."""
    needs_slaves: bool = False
    """Without a slave it cannot happen."""


@frozen
class FaultWords:
    """A fault, counted by a field of a world's fault counts."""

    one: str = ""
    more: str = ""
    """The plural, with the number as ``{n}`` if it matters."""
    unsaid: str = ""
    """Why no schedule of the tables has it; empty if one may."""
    number: int = 0
    """The number at the end of its codes, if it has its own; otherwise its fault model has one."""


@frozen
class Cause:
    """What happens in a schedule without a failure."""

    words: str
    number: int
    """The number at the end of its codes: one for each wording."""
    explanation: str = ""
    """Its class of explanation; empty for a claim of another world."""
    claim: str = ""
    variant: str = ""
    """The variant that settings select, which explains whatever nothing else does."""

    def fits(self, explanation: str, claim: str, variants: Collection[str]) -> bool:
        """A failure of this class, of this claim, or in a group with these variants."""
        is_explained = bool(self.explanation) and self.explanation == explanation
        return is_explained or self.claim == claim or self.variant in variants


@frozen
class Unlisted:
    """Claims that are in no row."""

    why: str
    claims: tuple[str, ...] = field(default=(), converter=tuple)


@frozen
class Words:
    """The whole table."""

    rows: tuple[RowWords, ...]
    fault_models: Mapping[str, FaultModelWords]
    """By name."""
    faults: Mapping[str, FaultWords]
    """Faults by the field that counts them."""
    causes: tuple[Cause, ...]
    unlisted: tuple[Unlisted, ...]

    def find_cause(
        self, explanation: str, claim: str, variants: Collection[str] = ()
    ) -> Cause | None:
        """The cause of a failure without faults; None if the table has none."""
        fitting = (cause for cause in self.causes if cause.fits(explanation, claim, variants))
        return next(fitting, None)

    @property
    def numbered(self) -> Mapping[int, str]:
        """What each number of a code stands for, whatever row it is in."""
        found = {each.number: each.words for each in self.fault_models.values()}
        found |= {cause.number: cause.words for cause in self.causes}
        return found | {fault.number: fault.one for fault in self.faults.values() if fault.number}


@cache
def load_words(file: Path = WORDS_FILE) -> Words:
    """The table, in the order of the file."""
    document: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    fault_models = (FaultModelWords(**entry) for entry in document["fault_model"])
    return Words(
        rows=tuple(RowWords(**entry) for entry in document["row"]),
        fault_models={each.name: each for each in fault_models},
        faults={name: FaultWords(**entry) for name, entry in document["fault"].items()},
        causes=tuple(Cause(**entry) for entry in document["cause"]),
        unlisted=tuple(Unlisted(**entry) for entry in document["unlisted"]),
    )

"""What tells an operator that something is wrong, what it means, and what to do.

Some signs only groups with a controller show; those of any pair are found in its brokers' logs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.procedures.procedures import load_procedures
from properties.worlds.replication.world import ClaimedGroup
from reference.worlds.replication.changes.controller_mode import VARIANT

SIGNS_FILE = Path(__file__).with_name("signs.toml")
PAIR_SIGNS_FILE = Path(__file__).with_name("pair_signs.toml")


@frozen
class Sign:
    """Something that a running group, or its logs, show."""

    name: str
    what: str
    """What has happened, in a few words."""
    means: str
    chapter: str
    """The page below ``spec/`` and the heading that explain it."""
    claims: tuple[str, ...] = field(default=(), converter=tuple)
    """The guarantees at stake."""
    issues: tuple[str, ...] = field(default=(), converter=tuple)
    """Known issues that it belongs to."""
    do: str = ""
    procedure: str = ""
    """The procedure whose advice is given, in place of ``do``."""
    replaced: str = ""
    """The broker whose store ``do`` replaces: ``master`` or ``slave``; empty for none."""
    is_note: bool = False
    """It is no trouble by itself."""
    log: str = ""
    """Part of the line that a broker writes; a pair's lines are in ``brokers/broker_logs``."""
    at: str = ""
    """Which broker writes it."""
    command: str = ""
    """A command of mqadmin, and what it shows then."""
    source: str = ""
    """Who writes the line at 5.3.3."""
    seen: tuple[str, int] | tuple[()] = field(default=(), converter=tuple)
    """A recording, and the seq of the line in it."""

    @property
    def advice(self) -> str:
        """What to do: as tried in the model where a procedure is named."""
        tried = (p.advice.title for p in load_procedures() if p.name == self.procedure)
        return next(tried, self.do)

    @property
    def replaced_store(self) -> str:
        """The broker whose store is replaced by what the sign advises; empty for none."""
        tried = (p.advice.replaced for p in load_procedures() if p.name == self.procedure)
        return next(tried, self.replaced)


def _read(file: Path) -> tuple[Sign, ...]:
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["sign"]
    return tuple(Sign(**entry) for entry in entries)


@cache
def load_signs() -> tuple[Sign, ...]:
    """Every sign of a group with a controller, in the order of the page."""
    return _read(SIGNS_FILE)


@cache
def load_pair_signs() -> tuple[Sign, ...]:
    """Every sign that any pair may show, in the order of the page."""
    return _read(PAIR_SIGNS_FILE)


def find_sign(name: str) -> Sign:
    """A sign by its name. Raises KeyError."""
    for sign in (*load_pair_signs(), *load_signs()):
        if sign.name == name:
            return sign
    raise KeyError(name)


def find_signs(structure: ClaimedStructure, claims: Collection[str]) -> Iterator[Sign]:
    """The signs of failures of these guarantees; none for a group without a controller."""
    if isinstance(structure, ClaimedGroup) and VARIANT in structure.changes:
        yield from (sign for sign in load_signs() if set(claims) & set(sign.claims))

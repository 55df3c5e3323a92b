"""What tells an operator of a group with a controller that something is wrong, and what to do."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.scenarios.procedures.procedures import load_procedures
from reference.worlds.replication.changes.controller_mode import VARIANT
from reference.worlds.replication.structure import Structure

SIGNS_FILE = Path(__file__).with_name("signs.toml")


@frozen
class Sign:
    """Something that a running group shows."""

    name: str
    what: str
    """What has happened, in a few words."""
    log: str
    """Part of the line that a broker writes."""
    at: str
    """Which broker writes it."""
    command: str
    """A command of mqadmin, and what it shows then."""
    source: str
    """Who writes the line at 5.3.3."""
    means: str
    claims: tuple[str, ...] = field(converter=tuple)
    """The guarantees at stake."""
    do: str = ""
    procedure: str = ""
    """The procedure whose advice is given, in place of ``do``."""
    seen: tuple[str, int] | tuple[()] = field(default=(), converter=tuple)
    """A recording, and the seq of the line in it."""

    @property
    def advice(self) -> str:
        """What to do: as tried in the model where a procedure is named."""
        tried = (p.advice.title for p in load_procedures() if p.name == self.procedure)
        return next(tried, self.do)


@cache
def load_signs() -> tuple[Sign, ...]:
    """Every sign, in the order of the page."""
    entries: list[dict[str, Any]] = tomllib.loads(SIGNS_FILE.read_text("utf-8"))["sign"]
    return tuple(Sign(**entry) for entry in entries)


def find_signs(structure: Any, claims: Collection[str]) -> Iterator[Sign]:
    """The signs of failures of these guarantees; none for a group without a controller."""
    if isinstance(structure, Structure) and VARIANT in structure.changes:
        yield from (sign for sign in load_signs() if set(claims) & set(sign.claims))

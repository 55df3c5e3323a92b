"""An artefact: something that is computed from rules and other artefacts, and kept in a file."""

from __future__ import annotations

import enum
from collections.abc import Callable

from attrs import frozen

Say = Callable[[str], None]
"""Tells in a few words what is being done."""


class Need(enum.Enum):
    """What needs an artefact."""

    ANSWER = "answers"
    """What operators ask: ``check``, ``explain``, ``upgrade``."""
    PAGE = "pages"
    """The book and its tests."""
    MEASUREMENT = "measurements"
    """Nothing but its own page: how well the project's own tests and judges do. Git has none."""


class NotRenewedError(Exception):
    """An artefact could not be renewed. Its text says why, and what to type or edit."""


@frozen
class Artefact:
    """One artefact."""

    name: str
    """Its name in lists and commands."""
    need: Need
    is_current: Callable[[], bool]
    """It was computed from what its inputs are now. What it was computed from is stored with it, as
    a digest of the recorded rules and claims; one that is damaged or missing is not current."""
    make: Callable[[Say], str]
    """Computes and writes it, whole or not at all, and tells in a few words what came out. Raises
    NotRenewedError."""
    needs: tuple[str, ...] = ()
    """The artefacts from which it is computed. They are renewed before it."""
    about: str = ""
    """What it is about: a process that has read about it goes on with others about the same."""
    seconds: float = 1.0
    """About how long ``make`` takes on one core, measured."""
    has_digest: bool = True
    """Whether it is current is known by itself. One without a digest, a page, is made again and
    compared, for which what it needs must be current."""

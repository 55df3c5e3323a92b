"""Answers about rules that have just been changed: certificates from other rules are renewed first.

What is renewed here is not stored, so an idea can be tried, and undone. A program says for itself
that it answers about changed rules; anything else takes such a certificate as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from attrs import field, frozen

from properties.language.world import ClaimedStructure

Renew = Callable[[ClaimedStructure, dict[str, Any]], dict[str, Any]]
"""Makes of a certificate from other rules one from these (``renewal.renew_for_answer``)."""

BEFORE = "before"
"""The mark of a certificate that was renewed and is not stored: the words that it had before."""


@frozen
class Renewing:
    """What a program has renewed; its rules and claims do not change while it runs."""

    renew: Renew
    documents: dict[Any, dict[str, Any]] = field(factory=dict)


_RENEWING: ContextVar[Renewing | None] = ContextVar("renewing", default=None)


@contextmanager
def renew_when_loaded(renew: Renew) -> Iterator[None]:
    """Inside this context a certificate from other rules is renewed, once."""
    token = _RENEWING.set(Renewing(renew))
    try:
        yield
    finally:
        _RENEWING.reset(token)


def renew_in_memory(structure: ClaimedStructure, document: dict[str, Any]) -> dict[str, Any] | None:
    """A certificate from other rules as it would be from these; None outside of the context.

    Raises InternalDisagreementError for one that is malformed.
    """
    renewing = _RENEWING.get()
    if renewing is None:
        return None
    if structure not in renewing.documents:
        renewing.documents[structure] = renewing.renew(structure, document)
    return renewing.documents[structure]

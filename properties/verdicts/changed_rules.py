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

Say = Callable[[str], None]

BEFORE = "before"
"""The mark of a certificate that was renewed and is not stored: the words that it had before."""


@frozen
class Renewing:
    """What a program has renewed; its rules and claims do not change while it runs."""

    say: Say
    documents: dict[Any, dict[str, Any]] = field(factory=dict)


_RENEWING: ContextVar[Renewing | None] = ContextVar("renewing", default=None)


@contextmanager
def renew_when_loaded(say: Say) -> Iterator[None]:
    """Inside this context a certificate from other rules is renewed, and ``say`` is told so."""
    token = _RENEWING.set(Renewing(say))
    try:
        yield
    finally:
        _RENEWING.reset(token)


def renew_in_memory(structure: ClaimedStructure, document: dict[str, Any]) -> dict[str, Any] | None:
    """A certificate from other rules as it would be from these; None outside of the context.

    Its lemmas are proved again, its schedules are replayed, and only what is then open is searched,
    some steps deep: what is open still is left undecided. Raises InternalDisagreementError for one
    that is malformed.
    """
    renewing = _RENEWING.get()
    if renewing is None:
        return None
    if structure not in renewing.documents:
        renewing.documents[structure] = _renew(structure, document, renewing.say)
    return renewing.documents[structure]


def _renew(structure: ClaimedStructure, document: dict[str, Any], say: Say) -> dict[str, Any]:
    # Renewal reads certificates, and a program that finds none stale needs no solver.
    from properties.verdicts import certificates, renewal  # noqa: PLC0415
    from properties.verdicts.remembering import remember  # noqa: PLC0415

    changes = certificates.compute_changes(structure, document)
    say(
        f"the proofs about {structure.name} are of other rules or claims ({changes}); decided "
        "again for this answer, not stored"
    )
    verdicts = remember(
        "renewed", (structure.name,), lambda: renewal.renew(structure, document).verdicts
    )
    before = {
        (v.guarantee, v.fault): v.word.value for v in certificates.decode_asked(structure, document)
    }
    return certificates.make_document(structure, verdicts) | {BEFORE: before}

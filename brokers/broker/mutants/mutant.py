"""What a wire mutant is, and the table of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Any, TypeVar

from attrs import evolve, frozen

from brokers.broker.network.copying import Copying
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.replication.group_transfer import LiveGroupTransfer
from brokers.broker.replication.master_ha import MasterHa
from brokers.broker.replication.puts import Puts
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.broker.requests.handler import HANDLERS, Answerer, Handler
from brokers.broker.requests.request import Request
from brokers.broker.storage.live_store import LiveStore
from brokers.wire.codes import RequestCode
from reference.releases.releases import CLASSIC, QUORUM, Span
from reference.releases.versions import Version

MASTER, SLAVE, BOTH = "master", "slave", "both"
"""Which role shows it."""

EVERYWHERE = (Span("4.4.0", modes=(CLASSIC, QUORUM)),)
"""Every release; controller mode has a protocol of its own."""
BEFORE_5 = (Span("4.4.0", until="5.0.0"),)
"""While puts of a SYNC_MASTER wait by ``HAService#isSlaveOK`` and one highest report, and pulls are
answered as the world of reading has it."""
WAITING = (*BEFORE_5, Span("5.0.0", modes=(QUORUM,)))
"""While puts of a SYNC_MASTER wait for a slave at all (V-31)."""
BY_WAKE_UPS = (Span("4.4.0", until="4.6.0"),)
"""While five wake-ups end a wait (V-08)."""

PART_OF: Mapping[type, tuple[str, str]] = {
    MasterHa: ("master", MASTER),
    Puts: ("puts", MASTER),
    LiveGroupTransfer: ("transfer", MASTER),
    SlaveHa: ("slave", SLAVE),
    Copying: ("copying", SLAVE),
    LiveStore: ("store", BOTH),
    Request: ("request", BOTH),
}
"""By the class that a mutant's class is below: the part, and who usually shows it."""

C = TypeVar("C", bound=type)


class UnknownMutantError(ValueError):
    """No mutant has this name; one line."""


@frozen
class Mutant:
    """A broker that does one thing otherwise."""

    name: str
    role: str
    """``master``, ``slave`` or ``both``: whose answers differ."""
    sentence: str
    """What it does."""
    forbidden_by: str
    """A heading of the book, as ``page.md#heading``, that says otherwise."""
    source: str
    """RocketMQ's class and method that do otherwise."""
    parts: Parts
    """What the broker is made of."""
    spans: tuple[Span, ...] = EVERYWHERE
    """The releases that differ from it."""

    def applies_to(self, version: Version) -> bool:
        """A broker of this release must not do what it does."""
        return any(span.covers(version.release, version.mode) for span in self.spans)


MUTANTS: dict[str, Mutant] = {}
"""By name."""


def find_mutant(name: str) -> Mutant:
    """The mutant of this name. Raises UnknownMutantError."""
    if name not in MUTANTS:
        raise UnknownMutantError(f"{name!r} is no mutant; there are {', '.join(sorted(MUTANTS))}")
    return MUTANTS[name]


def mutant(
    forbidden_by: str,
    source: str,
    *,
    spans: tuple[Span, ...] = EVERYWHERE,
    role: str | None = None,
) -> Callable[[C], C]:
    """Mark a class below one of a broker's parts as a mutant; its docstring is the sentence."""

    def mark(made: C) -> C:
        part, usual = next(told for base, told in PART_OF.items() if issubclass(made, base))
        changes: Mapping[str, Any] = {part: made}
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", made.__name__).lower()
        _keep(
            name, made, role or usual, evolve(USUAL_PARTS, **changes), (forbidden_by, source), spans
        )
        return made

    return mark


def mutant_of_request(
    code: RequestCode,
    forbidden_by: str,
    source: str,
    *,
    role: str = BOTH,
    spans: tuple[Span, ...] = EVERYWHERE,
) -> Callable[[Answerer], Answerer]:
    """Mark a function as a mutant that answers this kind of request; else as `mutant`."""

    def mark(answer: Answerer) -> Answerer:
        handlers = {code: Handler(code, answer, HANDLERS[code].rules)}
        parts = evolve(USUAL_PARTS, handlers=handlers)
        _keep(answer.__name__, answer, role, parts, (forbidden_by, source), spans)
        return answer

    return mark


def _keep(  # noqa: PLR0913, PLR0917
    name: str,
    made: object,
    role: str,
    parts: Parts,
    told: tuple[str, str],
    spans: tuple[Span, ...],
) -> None:
    text = " ".join(cleandoc(made.__doc__ or "").partition("\n\n")[0].split())
    assert text, name
    MUTANTS[name] = Mutant(name, role, text, *told, parts, spans)

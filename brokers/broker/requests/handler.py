"""Who answers which request, and by which rules of the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import field, frozen

from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import Request
from brokers.wire.codes import RequestCode

Answerer = Callable[[BrokerPorts, Request], None]


@frozen
class Handler:
    """Who answers a kind of request."""

    code: RequestCode
    answer: Answerer
    rules: tuple[Callable[..., Any], ...] = field(factory=tuple)
    """The functions of the reference by which it decides."""


HANDLERS: dict[RequestCode, Handler] = {}
"""By code of a request."""


def handles(
    *codes: RequestCode, by: tuple[Callable[..., Any], ...]
) -> Callable[[Answerer], Answerer]:
    """Mark a function as the one that answers these requests, by these rules."""

    def mark(answer: Answerer) -> Answerer:
        for code in codes:
            HANDLERS[code] = Handler(code, answer, by)
        return answer

    return mark

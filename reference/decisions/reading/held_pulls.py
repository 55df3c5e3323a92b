"""Pulls that a broker holds because there was nothing to answer.

Source: PullRequestHoldService#run, #checkHoldRequest and #notifyMessageArriving of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen

from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.settings import BrokerSettings, StoreSettings

CHECK_INTERVAL_MS = 5_000
"""How often held pulls are looked at with long polling; else each ``shortPollingTimeMills``."""


@frozen
class HeldPull:
    """A pull that is held, when somebody looks at it."""

    offset: int
    """Queue offset that it waits for."""
    queue_max_offset: int
    is_filter_matching: bool = True
    """The subscription takes the message that woke the look, or nobody knows."""
    waited_ms: int = 0
    timeout_ms: int = 0


def has_message_arrived(held: HeldPull) -> bool:
    """There is a message for it."""
    return held.queue_max_offset > held.offset and held.is_filter_matching


def is_hold_over(held: HeldPull) -> bool:
    """It was held for as long as it may be."""
    return held.waited_ms >= held.timeout_ms


RELEASES: tuple[Case[HeldPull, bool], ...] = (
    (has_message_arrived, lambda _: True),
    (is_hold_over, lambda _: True),
)
"""When a held pull is run again, for the last time (R-PM-07)."""


def look_at_held(held: HeldPull) -> Decided[bool] | None:
    """Why a held pull is run again; None: it is held on."""
    return choose_first(RELEASES, held)


def compute_check_interval_ms(broker: BrokerSettings) -> int:
    """How often the held pulls are looked at, whatever happens."""
    return CHECK_INTERVAL_MS if broker.is_long_polling_enabled else broker.short_polling_ms


def is_woken_by_messages(store: StoreSettings, broker: BrokerSettings) -> bool:
    """A new message makes the broker look at once: on masters with long polling only (R-RP-04)."""
    return not store.is_slave and broker.is_long_polling_enabled

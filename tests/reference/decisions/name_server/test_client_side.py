"""How long a master's end goes unnoticed, held against the registry itself."""

from __future__ import annotations

from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server.client_side import (
    DurationRange,
    compute_pulls_elsewhere,
    compute_unknown_to_clients,
    compute_unlisted,
)
from reference.decisions.name_server.registry import RegisterBrokerRequest, Registry, register
from reference.decisions.name_server.removal import SCAN_FIRST_MS, SCAN_PERIOD_MS, expire

MASTER = RegisterBrokerRequest("b", 0, "m:1", "m:2", DataVersion(0))
REGISTER_PERIOD_MS = 30_000


def find_removal_ms(registered_ms: int) -> int:
    """When the looks of a name server remove a master that has registered last at this time."""
    registry, _ = register(Registry(), MASTER, registered_ms)
    now_ms = SCAN_FIRST_MS
    while expire(registry, now_ms) == registry:
        now_ms += SCAN_PERIOD_MS
    return now_ms


def test_a_dead_host_is_noticed_within_the_span() -> None:
    """Every second of the registration's phase, and of the end's: 90 to 130 s (K-45)."""
    waits = [
        find_removal_ms(registered_ms) - (registered_ms + since_ms)
        for registered_ms in range(0, 3 * SCAN_PERIOD_MS, 1_000)
        for since_ms in range(0, REGISTER_PERIOD_MS + 1, 1_000)
    ]
    span = compute_unlisted(is_channel_closed=False)
    assert span == DurationRange(90_000, 130_000)
    assert span.least_ms < min(waits) <= span.least_ms + 1_000
    assert span.most_ms == max(waits)


def test_a_dead_process_is_noticed_at_once() -> None:
    """Its channel closes; clients learn of it when they fetch their route."""
    assert compute_unlisted(is_channel_closed=True) == DurationRange(0, 0)
    assert compute_unknown_to_clients(is_channel_closed=True) == DurationRange(0, 30_000)
    assert compute_pulls_elsewhere(is_channel_closed=True) == DurationRange(0, 33_000)


def test_a_dead_host_takes_minutes() -> None:
    """Up to 160 s until clients know, and a pull that hangs comes on top."""
    assert compute_unknown_to_clients(is_channel_closed=False) == DurationRange(90_000, 160_000)
    assert compute_pulls_elsewhere(is_channel_closed=False) == DurationRange(90_000, 193_000)

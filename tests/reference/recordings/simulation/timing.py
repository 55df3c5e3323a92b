"""How long things take in a simulated group: what brokers of our own take, and what hosts add."""

from __future__ import annotations

from collections.abc import Mapping

from reference.broker.habits import (
    CONNECT_AGAIN_MS,
    DISPATCH_BEHIND_MS,
    DISPATCH_MS,
    GROUP_COMMIT_MS,
    LOOK_FOR_REQUEST_MS,
    SELECT_MS,
    SEND_WAIT_MS,
    SHUTDOWN_SLEEP_MS,
    SOCKET_BYTES,
    TRANSFER_WAIT_MS,
    TRANSFER_WAITS_MAX,
    Habits,
    get_habits,
)
from reference.releases.releases import is_since

__all__ = [
    "CONNECT_AGAIN_MS",
    "DISPATCH_BEHIND_MS",
    "DISPATCH_MS",
    "GROUP_COMMIT_MS",
    "LOOK_FOR_REQUEST_MS",
    "SELECT_MS",
    "SEND_WAIT_MS",
    "SHUTDOWN_SLEEP_MS",
    "SOCKET_BYTES",
    "TRANSFER_WAITS_MAX",
    "TRANSFER_WAIT_MS",
    "Habits",
    "get_habits",
]

FLUSH_INTERVAL_MS = 500.0
"""``MessageStoreConfig.flushIntervalCommitLog``."""

FLUSH_LEAST_PAGES = 4
"""``MessageStoreConfig.flushCommitLogLeastPages``."""

FLUSH_THOROUGH_MS = 10_000.0
"""``MessageStoreConfig.flushCommitLogThoroughInterval``."""

PAGE_BYTES = 4096
"""``MappedFile.OS_PAGE_SIZE``."""


def compute_record_bytes(release: str) -> int:
    """What a record adds to its body: fixed fields, topic, properties (``MessageExtEncoder``)."""
    name = release.partition("-")[0]
    return 112 if is_since(name, "5.0.0") else 98 if is_since(name, "4.9.1") else 99


DELAYS_MS: Mapping[str, tuple[float, float]] = {
    "wire": (0.04, 0.3),
    "read": (0.05, 0.4),
    "accept": (0.1, 2.0),
    "wake": (0.02, 0.15),
    "call": (0.02, 0.12),
    "step": (0.01, 0.06),
    "return": (0.02, 0.4),
    "force": (0.2, 4.0),
    "roll": (0.05, 3.0),
    "notice": (0.3, 3.0),
    "death": (0.5, 3.0),
    "load": (500.0, 1100.0),
    "started": (0.5, 5.0),
    "exit": (200.0, 400.0),
    "shut": (8.0, 45.0),
    "surgery": (5.0, 40.0),
    "look": (0.002, 0.02),
    "note": (0.01, 0.5),
}
"""What a thread or a wire takes, by name: as in recordings of real brokers."""

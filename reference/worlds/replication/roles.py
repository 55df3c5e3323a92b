"""The two settings that decide what a broker waits for."""

from __future__ import annotations

import enum


class Role(enum.Enum):
    """``brokerRole`` (MessageStoreConfig at 4.4.0)."""

    ASYNC_MASTER = "ASYNC_MASTER"
    SYNC_MASTER = "SYNC_MASTER"
    SLAVE = "SLAVE"


class FlushDiskType(enum.Enum):
    """``flushDiskType`` (MessageStoreConfig at 4.4.0)."""

    ASYNC_FLUSH = "ASYNC_FLUSH"
    SYNC_FLUSH = "SYNC_FLUSH"

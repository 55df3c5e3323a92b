"""Roles of brokers and types of flushing, as RocketMQ's own settings name them."""

from __future__ import annotations

import enum

MASTER_ID = 0
"""The broker id of every master (MixAll.MASTER_ID)."""


class Role(enum.Enum):
    """``brokerRole`` (MessageStoreConfig at 4.4.0)."""

    ASYNC_MASTER = "ASYNC_MASTER"
    SYNC_MASTER = "SYNC_MASTER"
    SLAVE = "SLAVE"


class FlushDiskType(enum.Enum):
    """``flushDiskType`` (MessageStoreConfig at 4.4.0)."""

    ASYNC_FLUSH = "ASYNC_FLUSH"
    SYNC_FLUSH = "SYNC_FLUSH"

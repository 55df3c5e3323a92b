"""Settings of controller mode that change its rules; without a controller they mean nothing."""

from reference.worlds.replication.changes.controller_mode.settings import (
    ack_by_master_alone,
    two_in_sync,
)

SETTINGS = (ack_by_master_alone, two_in_sync)
"""The module of each setting."""

__all__ = ["SETTINGS"]

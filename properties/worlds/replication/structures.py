"""The groups that have certificates, their files, related groups, and those RocketMQ ships.

This module has the only list of RocketMQ 4.4.0's stock deployments, with its own files and
defaults.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from properties.worlds.replication.world import (
    CERTIFIED_GROUPS,
    ClaimedGroup,
)
from reference.releases.releases import CONTROLLER
from reference.worlds.replication.changes.controller_mode.settings.ack_by_master_alone import (
    ACK_BY_MASTER_ALONE,
)
from reference.worlds.replication.changes.controller_mode.settings.two_in_sync import TWO_IN_SYNC
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL

POOLED_GROUPS = tuple(
    evolve(structure, variants=(STORE_POOL,))
    for structure in CERTIFIED_GROUPS
    if not structure.is_sync_flush
)
"""The groups with ``transientStorePoolEnable``, which is in force only with ASYNC_FLUSH."""

CERTIFIED_BY_NAME = {structure.name: structure for structure in CERTIFIED_GROUPS}
"""These groups, by name."""

CONTROLLED_GROUPS = tuple(
    evolve(CERTIFIED_BY_NAME[group], variants=(setting, f"5.0.0-{CONTROLLER}"))
    for setting, groups in (
        (
            ACK_BY_MASTER_ALONE,
            (
                "SYNC_MASTER/ASYNC_FLUSH/0 slaves",
                "SYNC_MASTER/SYNC_FLUSH/0 slaves",
                "SYNC_MASTER/ASYNC_FLUSH/1 slave",
                "SYNC_MASTER/SYNC_FLUSH/1 slave",
            ),
        ),
        (TWO_IN_SYNC, ("SYNC_MASTER/ASYNC_FLUSH/1 slave", "SYNC_MASTER/SYNC_FLUSH/1 slave")),
    )
    for group in groups
)
"""The groups with other settings of controller mode than allAckInSyncStateSet=true."""


STOCK_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
"""The pair of the folder ``2m-2s-sync``: the default of commands and pages."""

STOCK_FOLDERS: Mapping[str, ClaimedGroup] = {
    "2m-noslave": CERTIFIED_BY_NAME["ASYNC_MASTER/ASYNC_FLUSH/0 slaves"],
    "2m-2s-async": CERTIFIED_BY_NAME["ASYNC_MASTER/ASYNC_FLUSH/1 slave"],
    "2m-2s-sync": STOCK_PAIR,
}
"""The deployment of each folder that RocketMQ ships; a test reads the folders."""

STOCK_WORLDS = (
    "reading/closed/no offset check/last",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
"""Stock brokers in the other worlds: ``slaveReadEnable`` and ``offsetCheckInSlave`` are off
(MessageStoreConfig, BrokerConfig), topics and delayed messages as in 4.4.0."""

STOCK_STRUCTURES = (*(s.name for s in STOCK_FOLDERS.values()), *STOCK_WORLDS)
"""All of them, by name."""

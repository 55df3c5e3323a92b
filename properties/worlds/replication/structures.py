"""The groups that have certificates, their files, related groups, and those RocketMQ ships.

This module has the only list of RocketMQ 4.4.0's stock deployments, with its own files and
defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import evolve

from reference.releases.releases import CONTROLLER
from reference.worlds.replication.changes.controller_mode.settings.ack_by_master_alone import (
    ACK_BY_MASTER_ALONE,
)
from reference.worlds.replication.changes.controller_mode.settings.two_in_sync import TWO_IN_SYNC
from reference.worlds.replication.changes.transient_store_pool import STORE_POOL
from reference.worlds.replication.parameters import SLAVES_MAX
from reference.worlds.replication.roles import FlushDiskType, Role
from reference.worlds.replication.structure import Structure

SEARCHED_SLAVES_MAX = 1
"""Groups up to this size are searched for the shortest schedule. A larger group takes over the
schedules of the group with one slave less, and is not searched for shorter ones."""

MASTER_ROLES = (Role.ASYNC_MASTER, Role.SYNC_MASTER)

CERTIFIED_STRUCTURES = tuple(
    Structure(role, flush, slaves)
    for slaves in range(SLAVES_MAX + 1)
    for role in MASTER_ROLES
    for flush in FlushDiskType
)
"""Every structure that has a certificate."""

POOLED_STRUCTURES = tuple(
    evolve(structure, variants=(STORE_POOL,))
    for structure in CERTIFIED_STRUCTURES
    if not structure.is_sync_flush
)
"""The groups with ``transientStorePoolEnable``, which is in force only with ASYNC_FLUSH."""

CERTIFIED_BY_NAME = {structure.name: structure for structure in CERTIFIED_STRUCTURES}
"""These groups, by name."""

CONTROLLED_STRUCTURES = tuple(
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

RELEASED_STRUCTURES = tuple(s for s in CERTIFIED_STRUCTURES if s.slaves <= SEARCHED_SLAVES_MAX)
"""The groups that have a certificate for each later release with rules of its own."""


def locate_certificate(structure: Structure) -> Path:
    """A file for each group; a variant's files are in a folder named after the variant."""
    name = f"{structure.role.name}-{structure.flush_disk_type.name}-{structure.slaves}_slaves"
    return Path("+".join(structure.variants)) / f"{name.lower()}.json"


def list_related_structures(structure: Structure) -> tuple[Structure, ...]:
    """The groups whose schedules are tried first, because they may refute here too.

    For a variant: those of RocketMQ 4.4.0, and its own with other roles and flush types. For a
    release: those of each of its changes too; with a setting those of the release itself. For a
    large group: those of the group with one slave less. Empty for a group that is searched itself.
    """
    related = []
    if structure.variants:
        alike = [
            evolve(structure, role=role, flush_disk_type=flush)
            for role in (structure.role, *MASTER_ROLES)
            for flush in (structure.flush_disk_type, *FlushDiskType)
        ]
        related = [*(evolve(s, variants=()) for s in alike), *(s for s in alike if s != structure)]
        *_, release = structure.variants
        related += [evolve(structure, variants=(release,))] if len(structure.variants) > 1 else []
        parts = (v.name for v in structure.changes)
        related += [evolve(structure, variants=(n,)) for n in parts if (n,) != structure.variants]
    if structure.slaves > SEARCHED_SLAVES_MAX:
        related += [evolve(structure, slaves=structure.slaves - 1)]
    return tuple(dict.fromkeys(related))


def make_code(structure: Structure) -> str:
    """A group in the identifier of a schedule, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
    group = (structure.role.name, structure.flush_disk_type.name, str(structure.slaves))
    return "-".join((*group, *structure.variants))


STOCK_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
"""The pair of the folder ``2m-2s-sync``: the default of commands and pages."""

STOCK_FOLDERS: Mapping[str, Structure] = {
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

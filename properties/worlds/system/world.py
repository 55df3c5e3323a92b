"""The complete system: a group of brokers, its producers and its consumers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, field, frozen

from properties.language.property import collect_properties
from properties.language.world import (
    ClaimedStructure,
    Numbers,
    World,
    make_fault_models,
    make_sizes,
)
from properties.worlds.reading.world import ClaimedReading
from properties.worlds.replication.fault_models import FAULT_MODELS, SIZES
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from properties.worlds.system import flushed_lemma, guarantee, lemma, witness
from properties.worlds.system.parts import LOG_LEMMAS, PART_CLAIMS, READING_LEMMAS
from reference.releases.known_differences import SLAVE_REJECTS_PULLS
from reference.releases.releases import CLASSIC, CONTROLLER
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.releases.versions import Version, list_versions
from reference.roles import FlushDiskType, Role
from reference.worlds.reading.state import MASTER, SLAVE
from reference.worlds.replication.parameters import SIZE_KEYS, Parameters
from reference.worlds.system.state import SystemFaults, SystemParameters
from reference.worlds.system.structure import SystemStructure

GROUPS = tuple(
    ClaimedGroup(role, flush)
    for role in (Role.SYNC_MASTER, Role.ASYNC_MASTER)
    for flush in (FlushDiskType.ASYNC_FLUSH, FlushDiskType.SYNC_FLUSH)
)
"""The groups with one slave."""

CLOSED = ClaimedReading(is_from_first=True)
OPEN_SLOW, OPEN_ALL = (
    ClaimedReading(is_master_open=True, is_slave_open=True, broker_id=broker, is_from_first=True)
    for broker in (MASTER, SLAVE)
)
READERS = (CLOSED, OPEN_SLOW, OPEN_ALL)


@frozen(cache_hash=True)
class ClaimedSystem(SystemStructure, ClaimedStructure):
    """A group and its readers, with the claims of this world."""

    log: ClaimedGroup = field(factory=ClaimedGroup)
    """The group of brokers: one slave, one followed message."""
    reading: ClaimedReading = field(factory=ClaimedReading)
    """Where consumers read, and where their group begins."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return SYSTEM


NO_SLAVE_READS = ClaimedReading(is_from_first=True, is_closed_slave_silent=True)

SYSTEM_STRUCTURES = tuple(ClaimedSystem(*parts) for parts in itertools.product(GROUPS, READERS))
"""Consumer groups begin at the first message; see reading for those that begin at the end."""

LONE_STRUCTURES = tuple(
    ClaimedSystem(evolve(log, are_slaves_absent=True), NO_SLAVE_READS)
    for log in GROUPS
    if log.role is Role.ASYNC_MASTER
)
"""The masters without a slave, whose consumers have nobody else to read from.

One that waits for a slave answers no send with PUT_OK, and one that does not is as these.
"""


def apply_version(version: Version, structure: ClaimedSystem) -> ClaimedSystem:
    """The same settings under the rules of a release: of its log, and of its pulls."""
    is_open = structure.reading.is_slave_open
    reading = evolve(
        structure.reading,
        is_reset_to_end=version.has(OVERFLOW_RESETS_TO_MAX),
        is_closed_slave_silent=structure.is_alone
        or (version.has(SLAVE_REJECTS_PULLS) and not is_open),
    )
    return evolve(structure, log=version.apply(structure.log), reading=reading)


def _list_later(structure: ClaimedSystem) -> dict[ClaimedSystem, ClaimedSystem]:
    """The same settings under each later release without a controller, with the release before."""
    earlier: dict[ClaimedSystem, ClaimedSystem] = {}
    last = structure
    for version in list_versions():
        later = apply_version(version, structure)
        if version.mode != CONTROLLER and later != last:
            earlier.setdefault(later, last)
        if version.mode == CLASSIC:
            last = later
    return earlier


EARLIER: Mapping[ClaimedSystem, ClaimedSystem] = {
    later: earlier
    for structure in (*SYSTEM_STRUCTURES, *LONE_STRUCTURES)
    for later, earlier in _list_later(structure).items()
}
"""The systems of later releases, each with that of the release before: its proofs are tried first.

With a controller a slave is promoted by the protocol, which this world does not follow.
"""

LATER_SYSTEMS = tuple(system for system in EARLIER if not system.is_alone)
LONE_SYSTEMS = (*LONE_STRUCTURES, *(system for system in EARLIER if system.is_alone))
"""The masters without a slave, of every release without a controller."""

ENDS = ("master_stops", "master_kills", "slave_stops", "slave_kills")
"""Orderly stops and kills of brokers: a promotion needs an end of both."""

ADMITTED_FAULTS = {
    **{m.name: m.admitted for m in FAULT_MODELS if m.name not in ("none", "every fault")},
    "consumer kill": ("consumer_kills",),
    "master stop": ("master_stops",),
    "slave stop": ("slave_stops",),
    "slave deletes first": ("early_deletions",),
    "dispatch behind": ("lagging_dispatches",),
    "slave misses messages": ("missed_dispatches",),
    "topic made again": ("topic_recreations",),
    "partition": ("partitions",),
    "stale commit": ("stale_commits",),
    "both end": ENDS,
    "both end, after a master power loss": (*ENDS, "master_power_losses"),
}
"""The fault models of the log, of readers, and of what may precede a promotion."""


def list_alike(structure: ClaimedSystem) -> tuple[ClaimedSystem, ...]:
    """The structures with the same log, and those with the same readers; the release before."""
    is_alike = {
        s: (s.log == structure.log) != (s.reading == structure.reading) for s in SYSTEM_STRUCTURES
    }
    earlier = (EARLIER[structure],) if structure in EARLIER else ()
    return (*earlier, *(s for s in SYSTEM_STRUCTURES if is_alike[s]))


QUEUE_SIZE_MAX = 6
"""The size of the modelled queue in a search: as many messages as a log of small files holds."""


def add_queue(parameters: Parameters) -> SystemParameters:
    """The sizes of a log, with a queue."""
    sizes: dict[str, Any] = attrs.asdict(parameters, recurse=False)
    del sizes["limits"]
    return SystemParameters(**sizes, ghost_queue_size_max=QUEUE_SIZE_MAX)


SYSTEM_SIZES = make_sizes(add_queue(SIZES.campaign), swarm=tuple(map(add_queue, SIZES.swarm)))


def clip_sizes(parameters: SystemParameters) -> SystemParameters:
    """The sizes of a search, none larger than the given ones."""
    small = SYSTEM_SIZES.search
    clipped = {n: min(getattr(parameters, n), getattr(small, n)) for n in SIZE_KEYS}
    return evolve(small, limits=parameters.limits, **clipped)


SYSTEM = World(
    name="system",
    structures=SYSTEM_STRUCTURES,
    properties={
        **LOG_LEMMAS,
        **READING_LEMMAS,
        **collect_properties(guarantee, lemma, flushed_lemma, witness),
    },
    fault_models=make_fault_models(SystemFaults, ADMITTED_FAULTS),
    sizes=SYSTEM_SIZES,
    folder=Path(__file__).parent,
    chapter="system.md",
    part_claims=PART_CLAIMS,
    list_related_structures=list_alike,
    list_parts=lambda structure: (structure.log,),
    depth_limit=0,
    clip_sizes=clip_sizes,
    numbers=Numbers(codes=REPLICATION.numbers.codes, unlimited=REPLICATION.numbers.unlimited),
)

"""The complete world of replication."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import evolve, frozen

from properties.language.property import PropertyRole, collect_properties
from properties.language.world import ClaimedStructure, Numbers, World
from properties.worlds.replication import (
    change_lemmas,
    controller_lemmas,
    convergence,
    guarantees,
    lemmas,
    manual_steps,
    pool_lemmas,
    sanity_checks,
)
from properties.worlds.replication.fault_models import EVERYTHING, FAULT_MODELS, SIZES
from properties.worlds.replication.healing import get_healing
from properties.worlds.replication.situations import differences, features, phenomena, witnesses
from reference.language.rule import collect_rules
from reference.language.variant import Variant
from reference.releases.versions import RULE_SETS
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SLAVES_MAX, clip_sizes
from reference.worlds.replication.state import PHASE_NAMES, STATUS_NAMES
from reference.worlds.replication.structure import Structure

SEARCHED_SLAVES_MAX = 1
"""Groups up to this size are searched for the shortest schedule. A larger group takes over the
schedules of the group with one slave less, and is not searched for shorter ones."""

MASTER_ROLES = (Role.ASYNC_MASTER, Role.SYNC_MASTER)


@frozen(cache_hash=True)
class ClaimedGroup(Structure, ClaimedStructure):
    """A master/slave group, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world of replication."""
        return REPLICATION


CERTIFIED_GROUPS = tuple(
    ClaimedGroup(role, flush, slaves)
    for slaves in range(SLAVES_MAX + 1)
    for role in MASTER_ROLES
    for flush in FlushDiskType
)
"""Every structure that has a certificate."""


def locate_certificate(structure: ClaimedGroup) -> Path:
    """A file for each group; a variant's files are in a folder named after the variant."""
    name = f"{structure.role.name}-{structure.flush_disk_type.name}-{structure.slaves}_slaves"
    return Path("+".join(structure.variants)) / f"{name.lower()}.json"


def _is_setting_in(structure: ClaimedGroup, changes: Iterable[Variant]) -> bool:
    """A release with these changes does what one of the structure's settings does."""
    return any(change.name in structure.variants for change in changes)


def list_related_structures(structure: ClaimedGroup) -> tuple[ClaimedGroup, ...]:
    """The groups whose schedules are tried first, because they may refute here too.

    For a variant: those of RocketMQ 4.4.0, and its own with other roles and flush types. For a
    release: those of each of its changes too; with a setting those of the release itself, and of
    the releases that do the same without it. For a large group: those of the group with one slave
    less. Empty for a group that is searched itself.
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
        alike_releases = (n for n, c in RULE_SETS.items() if _is_setting_in(structure, c))
        related += [evolve(structure, variants=(n,)) for n in alike_releases]
    if structure.slaves > SEARCHED_SLAVES_MAX:
        related += [evolve(structure, slaves=structure.slaves - 1)]
    return tuple(dict.fromkeys(related))


def make_code(structure: ClaimedGroup) -> str:
    """A group in the identifier of a schedule, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
    group = (structure.role.name, structure.flush_disk_type.name, str(structure.slaves))
    return "-".join((*group, *structure.variants))


WALKED_MESSAGES = 4
"""How many messages a random walk follows: most puts are answered before a slave is there."""


def follow_more(structure: ClaimedGroup) -> ClaimedGroup:
    """The group with as many followed messages as walks follow."""
    return structure.follow_messages(max(structure.messages, WALKED_MESSAGES))


REPLICATION = World(
    name="replication",
    structures=CERTIFIED_GROUPS,
    properties=collect_properties(
        guarantees,
        convergence,
        sanity_checks,
        lemmas,
        controller_lemmas,
        change_lemmas,
        pool_lemmas,
        witnesses,
        differences,
        phenomena,
        features,
    ),
    fault_models=FAULT_MODELS,
    everything=EVERYTHING,
    sizes=SIZES,
    folder=Path(__file__).parent,
    chapter="guarantees.md",
    get_healing=get_healing,
    locate=locate_certificate,
    make_code=make_code,
    list_related_structures=list_related_structures,
    follow_more=follow_more,
    clip_sizes=clip_sizes,
    numbers=Numbers(
        codes={"phase": PHASE_NAMES, "status": STATUS_NAMES},
        counters={"master.connection_count": 2},
        unlimited=("parameters.ha_slave_fallbehind_max_bytes",),
        # A schedule within one file can be replayed with files of any size.
        zero_if_possible=("master.log.last_file_offset",),
        parts={"slave": ("slaves", "links")},
    ),
    module="Replication",
    manual_rules=collect_rules(manual_steps),
)

GUARANTEES = REPLICATION.guarantees
CLAIMS = REPLICATION.claims
CONVERGENCE = REPLICATION.select(PropertyRole.CONVERGENCE)
SANITY_CHECKS = REPLICATION.select(PropertyRole.SANITY)
LEMMAS = {n: p for n, p in REPLICATION.select(PropertyRole.LEMMA).items() if not p.variants}
CHANGE_LEMMAS = {n: p for n, p in REPLICATION.lemmas.items() if p.variants}
"""The lemmas that only the proofs of some variants need."""
WITNESSES = REPLICATION.witnesses
DIFFERENCES = REPLICATION.select(PropertyRole.DIFFERENCE)
"""By what an operator can tell releases apart, in the order in which a put meets them."""

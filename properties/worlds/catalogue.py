"""The catalogue: every structure once, by its name, with what it is and what is kept of it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import cache

from properties.language.world import ClaimedStructure, World
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import LATER_READERS, READING
from properties.worlds.replication.structures import CONTROLLED_GROUPS, POOLED_GROUPS, STOCK_PAIR
from properties.worlds.replication.world import (
    CERTIFIED_GROUPS,
    REPLICATION,
    SEARCHED_SLAVES_MAX,
    ClaimedGroup,
)
from properties.worlds.starts.world import STARTS
from properties.worlds.system.world import LATER_SYSTEMS, LONE_SYSTEMS, SYSTEM
from properties.worlds.tables.world import TABLES
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.roles import FlushDiskType, Role

OTHER_WORLDS = (READING, TABLES, DELAY, STARTS)
"""The worlds beside replication, in the order of their chapters."""

WORLDS = (REPLICATION, *OTHER_WORLDS)
"""Every world that models RocketMQ by itself; the system is made of them."""

WORLD_BY_TOPIC: Mapping[str, World] = {
    "replication": REPLICATION,
    **{world.topic: world for world in OTHER_WORLDS},
}
"""These worlds by the names that commands and tables give them."""

CORES_SLAVES_MAX = 2
"""Cores of larger groups are not kept: they repeat the same facts for each slave."""


class Tag(enum.Enum):
    """What a structure is, or what is kept of it beside its certificate."""

    USUAL = "a structure of one of the worlds, as commands take it by default"
    SYSTEM = "a group together with its readers"
    SMALL = "searched for shortest schedules; what its restrictions exclude is judged"
    FAULT_SETS = "its largest sets of survived faults are decided"
    CORES = "the facts that each proof needs are kept"
    EXAMINED = "the smallest counterexample of each lemma is searched in it"
    COMPARED = "every variant of 4.4.0 has a certificate for it"
    RELEASED = "every release with rules of its own has a certificate for it"


_EXAMINED = (
    ClaimedGroup(),
    ClaimedGroup(flush_disk_type=FlushDiskType.SYNC_FLUSH),
    ClaimedGroup(role=Role.ASYNC_MASTER),
    ClaimedGroup(slaves=0),
    ClaimedGroup(variants=("4.5.1",)),
    ClaimedGroup(slaves=0, variants=("4.5.1",)),
)


def _list_all() -> Iterator[tuple[ClaimedStructure, tuple[Tag, ...]]]:
    """Each structure with its tags; one may come several times."""
    for structure in (s for world in WORLDS for s in world.structures):
        is_small = structure.slaves <= SEARCHED_SLAVES_MAX
        yield structure, (Tag.USUAL, *((Tag.SMALL, Tag.FAULT_SETS) if is_small else ()))
    for group in REPLICATION.structures:
        yield group, (Tag.RELEASED,) if group.slaves <= SEARCHED_SLAVES_MAX else ()
        yield group, (Tag.CORES,) if group.slaves <= CORES_SLAVES_MAX else ()
    yield STOCK_PAIR, (Tag.COMPARED,)
    yield from ((system, (Tag.SYSTEM,)) for system in SYSTEM.structures)
    yield SYSTEM.structures[0], (Tag.FAULT_SETS,)
    for name in RULE_SETS:
        for group in CERTIFIED_GROUPS:
            yield apply_rule_set(group, name), ()
    yield from ((group, ()) for group in (*POOLED_GROUPS, *CONTROLLED_GROUPS))
    yield from ((structure, ()) for structure in (*LATER_READERS, *LATER_SYSTEMS, *LONE_SYSTEMS))
    yield from ((group, (Tag.EXAMINED,)) for group in _EXAMINED)


def _collect() -> tuple[dict[str, ClaimedStructure], dict[str, set[Tag]]]:
    structures: dict[str, ClaimedStructure] = {}
    tags: dict[str, set[Tag]] = {}
    for structure, given in _list_all():
        if structures.setdefault(structure.name, structure) != structure:
            raise ValueError(f"two structures are called {structure.name}")
        tags.setdefault(structure.name, set()).update(given)
    return structures, tags


_STRUCTURES, _TAGS = _collect()

STRUCTURES: Mapping[str, ClaimedStructure] = _STRUCTURES
"""Every structure by its name: of 4.4.0 and later, of the system, with each setting."""


@cache
def list_tagged(*tags: Tag) -> tuple[ClaimedStructure, ...]:
    """The structures with at least one of these tags, in the order of the catalogue."""
    return tuple(s for name, s in STRUCTURES.items() if _TAGS[name] & {*tags})


def list_tagged_groups(tag: Tag) -> tuple[ClaimedGroup, ...]:
    """The master/slave groups with a tag, in the order of the catalogue."""
    return tuple(s for s in list_tagged(tag) if isinstance(s, ClaimedGroup))


def list_other_structures() -> tuple[ClaimedStructure, ...]:
    """The usual structures of the worlds beside replication."""
    return tuple(structure for world in OTHER_WORLDS for structure in world.structures)


CLAIM_NAMES = tuple(dict.fromkeys(n for world in (*WORLDS, SYSTEM) for n in world.claims))
"""The claims of all worlds, each once."""

FAULT_MODEL_NAMES = tuple(
    dict.fromkeys(c.name for world in (*WORLDS, SYSTEM) for c in world.fault_models)
)
"""The fault models of all worlds, each once; worlds share some names."""

"""A pair of stores in the model's terms: what holds from here on, and the way to a loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brokers.disk.findings import FindingKind
from command_line.answers.stores.pair import Pair
from command_line.output.width import get_drawing_width
from properties.scenarios.store_state import STEPS_MAX, find_ways, make_state
from properties.schedules.telling import draw_steps
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.versions import Version
from reference.roles import FlushDiskType, Role

ROLES = {Role.ASYNC_MASTER.value: Role.ASYNC_MASTER}
FLUSHES = {each.value: each for each in FlushDiskType}


def make_structure(pair: Pair, version: Version) -> ClaimedGroup:
    """The pair's roles, as far as the master's ``broker.conf`` tells them; else the stock pair."""
    settings = pair.master.folder.settings
    role = ROLES.get(settings.get("brokerRole", ""), Role.SYNC_MASTER)
    flush = FLUSHES.get(settings.get("flushDiskType", ""), FlushDiskType.ASYNC_FLUSH)
    return version.apply(ClaimedGroup(role=role, flush_disk_type=flush))


def describe_in_model(pair: Pair, version: Version) -> Iterator[str]:
    """What does not hold now, and the shortest way from here to each loss, the first one drawn."""
    if pair.kind is FindingKind.CANNOT_SAY:
        return
    structure = make_structure(pair, version)
    state = make_state(structure, pair.master, pair.slave, pair.logs)
    yield f"In the model ({structure.name}):"
    if state.is_as_good_as_new:
        yield "  As good as new: what check proves of such a group holds from here on."
    elif state.violated:
        yield f"  Does not hold now: {', '.join(state.violated)}."
    ways = list(find_ways(state))
    if not ways:
        yield f"  While both run on, nothing more is broken within {STEPS_MAX} steps."
    for way in ways:
        yield f"  {way.guarantee}: broken in {len(way.steps) - 1} steps, without any further fault."
    if ways:
        yield ""
        yield draw_steps(ways[0].steps, get_drawing_width())


def tell_in_model(pair: Pair, version: Version) -> dict[str, Any] | None:
    """The same for other programs; None if nothing can be said."""
    if pair.kind is FindingKind.CANNOT_SAY:
        return None
    structure = make_structure(pair, version)
    state = make_state(structure, pair.master, pair.slave, pair.logs)
    return {
        "structure": structure.name,
        "is_as_good_as_new": state.is_as_good_as_new,
        "does_not_hold": list(state.violated),
        "ways": [
            {"guarantee": way.guarantee, "steps": [str(s.action) for s in way.steps[1:]]}
            for way in find_ways(state)
        ],
    }

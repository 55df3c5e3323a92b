"""The steps by which a system heals: which of them are possible in a state."""

from __future__ import annotations

from typing import Any

from properties.healing import Healing, is_moving
from properties.worlds import find_healing
from reference.language.machine import Enabled, Machine


def find_moving(machine: Machine, state: Any) -> list[Enabled]:
    """The enabled instances by which a system heals; none in a world that says nothing of that."""
    healing = find_healing(machine.structure)
    if healing is None:
        return []
    rules = (*healing.steps, *healing.recovery)
    return [
        e
        for e in machine.enabled(state)
        if e.instance.rule.name in rules
        and (not healing.is_idling_left_out or is_moving(e.instance, state))
    ]


def put_off_last_resorts(moving: list[Enabled], healing: Healing) -> list[Enabled]:
    """What moves, without what somebody patient leaves till nothing else does."""
    others = [e for e in moving if e.instance.rule.name not in healing.last_resorts]
    return others or moving

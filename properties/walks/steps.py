"""The next step of a walk, without a solver: any enabled one, or a healing one."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from properties.language.healing import is_moving
from reference.language.machine import Action, Enabled


def choose_evenly(enabled: list[Enabled], chance: random.Random) -> Action:
    """One of the enabled steps, all equally likely, with equally likely arguments."""
    picked = chance.choice(enabled)
    arguments = {r.name: chance.randint(r.low, r.high) for r in picked.ranges}
    return Action(picked.instance.name, arguments)


def find_moving(enabled: Iterable[Enabled], state: Any) -> list[Enabled]:
    """Of the enabled instances those by which a system heals; none where the world names none."""
    healing = state.structure.healing
    if healing is None:
        return []
    rules = (*healing.steps, *healing.recovery)
    return [
        e
        for e in enabled
        if e.instance.rule.name in rules
        and (not healing.is_idling_left_out or is_moving(e.instance, state))
    ]

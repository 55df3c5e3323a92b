"""One step of a random walk of the reference, without any solver."""

from __future__ import annotations

import random

from reference.language.machine import Action, Enabled


def choose_evenly(enabled: list[Enabled], chance: random.Random) -> Action:
    """One of the enabled steps, each as likely as any other, and so are its arguments."""
    picked = chance.choice(enabled)
    arguments = {r.name: chance.randint(r.low, r.high) for r in picked.ranges}
    return Action(picked.instance.name, arguments)

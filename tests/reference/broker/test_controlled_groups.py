"""Own masters and slaves in controller mode: what is recorded between them conforms.

Killed, stopped, cut off, stalled and wiped; a master that returns is told its old epoch or a later
one.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.reference.broker.test_simulated_groups import LEFT_OUT, judge, play
from tests.reference.recordings.simulation.scenarios import SCENARIOS

RELEASE = "5.3.3-controller"
CASES = (("kills", 108, 300), ("restarts", 108, 300))
"""Scenario, seed, and lines."""
RANDOM_SEEDS = range(3000, 3200)


@pytest.mark.parametrize(("scenario", "seed", "events"), CASES)
def test_what_is_recorded_conforms(
    tmp_path: Path, scenario: str, seed: int, events: int
) -> None:
    """Puts were answered, the slave was in the set, and what befell them did."""
    group = play(tmp_path, scenario, RELEASE, seed, events)
    assert judge_with_refused(group) == "conforms"
    assert group.strikes
    assert sum(len(p.codes) for p in group.producers) > 20
    seen = Counter(line["ev"] for line in group.lines)
    assert min(seen[k] for k in ("to_master", "to_slave", "set_sss", "ha_handshake_master")) > 1

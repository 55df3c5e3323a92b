"""Real processes over real sockets: killed, stopped and started, recorded, and judged."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from brokers.recordings.judging import CONFORMS, check_trace
from tests.brokers.broker.processes import Pair, strike

pytestmark = pytest.mark.nightly

RELEASES = ("4.4.0", "4.9.8", "5.3.3", "5.3.3-quorum")
STRIKES = 6
CASES = [(release, seed) for seed in range(3) for release in RELEASES]


@pytest.mark.parametrize(("release", "seed"), CASES)
def test_what_processes_do_conforms(tmp_path: Path, release: str, seed: int) -> None:
    """``kill -9`` of either side and of the recorder, and stops in order, under traffic."""
    chance = random.Random(f"{release} {seed}")
    role = chance.choice(("SYNC_MASTER", "ASYNC_MASTER"))
    flush = chance.choice(("SYNC_FLUSH", "ASYNC_FLUSH"))
    pair = Pair(tmp_path, release, role, flush)
    seen: Counter[str] = Counter()
    try:
        pair.start()
        for number in range(2):
            pair.produce(seed + number)
        pair.wait_for_answers(20)
        for _ in range(STRIKES):
            seen[strike(pair, chance)] += 1
            pair.wait_for_answers(chance.randint(1, 40))
    finally:
        pair.end()
    assert pair.codes[0] > 0
    verdict = check_trace(tmp_path / "pair.jsonl")
    assert verdict.verdict == CONFORMS, (verdict.first_unexplained_seq, verdict.reason, seen)

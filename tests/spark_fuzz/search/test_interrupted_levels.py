"""A search by levels in processes that is interrupted: one line, and the same levels at last."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from command_line.output.interruption import SIGNALS
from tests.command_line.interrupted import Ended, start_rmqspec
from tests.command_line.run import run

ASKED = (
    *("prove", "--cross-check", 400_000, "--fault", "link cut", "--jobs", 2),
    *("--structure", "SYNC_MASTER/ASYNC_FLUSH/2 slaves"),
)


def read_levels(folder: Path) -> dict[str, bytes]:
    """All levels, byte for byte."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("level-*/[!.]*")}


@pytest.mark.nightly
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_to_group", [False, True])
def test_levels_are_kept(tmp_path: Path, number: signal.Signals, is_to_group: bool) -> None:
    """At some levels, drawn and printed; an end that comes first is no failure."""
    here, there = tmp_path / "here", tmp_path / "there"
    expected = run(*ASKED, "--levels", here)
    chance = random.Random(f"{number.name} {is_to_group}")
    for level in sorted(chance.sample(range(14), 3)):
        print(f"{number.name} at level {level}, {is_to_group=}")
        started = start_rmqspec(*ASKED, "--levels", there)
        while started.process.poll() is None and not [*there.rglob(f"level-{level:04}")]:
            time.sleep(0.005)
        started.send(number, is_to_group=is_to_group)
        ended = started.wait()
        kept = f"finished levels are in {there}, and the same command continues"
        if ended.code or ended.said:
            assert Ended(130, [f"rmqspec: interrupted; {kept}"], []) == ended
    result = run(*ASKED, "--levels", there)
    assert (0, expected.stdout) == (result.returncode, result.stdout)
    assert read_levels(here) == read_levels(there)

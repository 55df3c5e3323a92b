"""Random but valid files, drawn from all keys of a release, are answered, or not with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference.releases.releases import RELEASES
from tests.command_line.run import run
from tests.reference.configuration.random_files import draw_pair

PAIRS = 200
SAMPLE = (0,)
"""Those that every run tries; files of all releases are read in the tests of the configuration."""


@pytest.mark.parametrize(
    "number",
    [n if n in SAMPLE else pytest.param(n, marks=pytest.mark.nightly) for n in range(PAIRS)],
)
def test_random_valid_files_are_answered(number: int, tmp_path: Path) -> None:
    """No defect, no traceback, and no key of the release is called unknown."""
    release = RELEASES[number % len(RELEASES)]
    print(f"seed {number}, release {release}")
    drawn = draw_pair(tmp_path / "conf", release, seed=number, is_stock=True)
    result = run("check", tmp_path / "conf", "--rocketmq-version", release)
    assert result.returncode in (0, 2), (result.stderr, drawn)
    assert "" == result.stderr
    assert "does not know the key" not in result.stdout
    assert "is no key that is known" not in result.stdout

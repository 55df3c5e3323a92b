"""Every release that a table of the project names is one that the list of releases has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference.releases.releases import ALL_RELEASES, RELEASES, WITHOUT_VERDICTS, get_modes
from reference.releases.versions import VersionError, parse_version

ROOT = Path(__file__).parents[3]
ROOMS = ("reference", "brokers", "properties", "spark_fuzz", "book", "command_line", "spec/ledger")

_NAME = re.compile(r"""(["'])([45]\.\d+\.\d+)(?:-([a-z]+))?\1""")
"""A text in quotes that is a release, perhaps in one of its modes."""


def list_named() -> Iterator[tuple[str, str, str]]:
    """Each file that names a release, the release and its mode."""
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*")):
            if file.suffix in (".py", ".toml", ".json"):
                for _, release, mode in _NAME.findall(file.read_text(encoding="utf-8")):
                    yield str(file.relative_to(ROOT)), release, mode


def test_every_release_that_is_named_is_in_the_list() -> None:
    """With a mode that it has."""
    named = set(list_named())
    assert {release for _, release, _ in named} >= set(ALL_RELEASES)
    assert set() == {
        (f, r, m) for f, r, m in named if r not in ALL_RELEASES or m not in get_modes(r)
    }


def test_releases_are_sorted() -> None:
    """Those without verdicts stand between the others."""
    assert sorted(ALL_RELEASES) == list(ALL_RELEASES)
    assert [r for r in ALL_RELEASES if r not in WITHOUT_VERDICTS] == list(RELEASES)


@pytest.mark.parametrize("release", WITHOUT_VERDICTS)
def test_a_release_without_verdicts_says_why(release: str) -> None:
    """It exists, and the line names the release to ask for instead."""
    with pytest.raises(VersionError, match=r"is outside the model: .* 4\.5\.1"):
        parse_version(release)

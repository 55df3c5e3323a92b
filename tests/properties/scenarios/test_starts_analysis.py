"""Which releases and settings have starts that fail, after which failures."""

from __future__ import annotations

import pytest

from properties.scenarios.analysis.starts import analyse_starts, compute_starts
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.starts.world import STARTS_STRUCTURES
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.releases.releases import RELEASES, is_since
from reference.releases.versions import parse_version

STARTS_AGAIN = "broker_starts_again"


def make_group(release: str, *flushes: str) -> BrokerGroup:
    """A pair of this release whose master and slave flush so."""
    group = sample_group(parse_version(release))
    for change, flush in zip((change_master, change_slaves), flushes, strict=False):
        group = change(group, "flushDiskType", flush)
    return group


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_refuses_what_its_source_refuses(release: str) -> None:
    """MappedFileQueue#load and ConsumeQueue#correctMinOffset at the tags."""
    verdicts = {v.fault: v for v in analyse_starts(make_group(release)).verdicts}
    cells = {f: load_cells(compute_starts(make_group(release)))[STARTS_AGAIN, f] for f in verdicts}
    refuted = {fault for fault, v in cells.items() if v.word is VerdictWord.REFUTED}
    is_short_refused = is_since(release, "4.5.1") and not is_since(release, "5.1.3")
    is_empty_refused = is_since(release, "5.0.0") and not is_since(release, "5.5.0")
    if is_short_refused and release != "4.9.2":
        assert refuted == {"kill in file creation", "power loss", "every fault"}
    else:
        assert refuted == ({"power loss", "every fault"} if is_empty_refused else set())


@pytest.mark.parametrize(
    ("release", "flushes", "is_refuted"),
    [
        ("5.3.0", ("SYNC_FLUSH", "SYNC_FLUSH"), False),
        ("5.3.0", ("SYNC_FLUSH", "ASYNC_FLUSH"), True),
        ("5.3.0", ("ASYNC_FLUSH", "SYNC_FLUSH"), True),
        ("5.3.0-quorum", ("SYNC_FLUSH", "SYNC_FLUSH"), False),
        ("5.3.0-controller", ("SYNC_FLUSH", "SYNC_FLUSH"), True),
        ("5.2.0", ("SYNC_FLUSH", "SYNC_FLUSH"), True),
    ],
)
def test_every_broker_must_flush_first(
    release: str, flushes: tuple[str, str], is_refuted: bool
) -> None:
    """CommitLog#getConfirmOffset from 5.3.0 on, outside controller mode."""
    structure = compute_starts(make_group(release, *flushes))
    word = load_cells(structure)[STARTS_AGAIN, "power loss"].word
    assert word is (VerdictWord.REFUTED if is_refuted else VerdictWord.PROVED)


def test_every_structure_is_somebodys() -> None:
    """Of some release and settings."""
    flushes = (("ASYNC_FLUSH",) * 2, ("SYNC_FLUSH",) * 2)
    found = {compute_starts(make_group(r, *f)) for r in RELEASES for f in flushes}
    assert found == set(STARTS_STRUCTURES)

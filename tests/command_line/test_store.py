"""``rmqspec store``, run as a user runs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from brokers.disk.comparison.log_comparison import compare_logs
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from command_line.answers.stores.page import FLAGS
from command_line.output import exit_codes
from properties.checkout import ROOT
from properties.scenarios.procedures.store_findings import load_store_findings
from properties.scenarios.store_state import make_state
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from reference.releases.start_rules import StartRules, make_start_rules
from tests.brokers.disk.real_stores import SINGLE, unpack
from tests.command_line.run import run


@pytest.fixture(scope="module")
def diverged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A master and a slave whose equal offsets hide a difference."""
    folder = unpack("torn_roll_kill", tmp_path_factory.mktemp("stores"))
    return folder / "master", folder / "slave1"


def test_a_screen(diverged: tuple[Path, Path]) -> None:
    """It fits 80 columns, and names the record, the loss and the commands."""
    result = run("store", *diverged, env={"COLUMNS": "80"})
    assert result.returncode == exit_codes.REFUTED
    assert "diverged from 14000 on" in result.stdout
    assert "Lost: 1 record that only the master has: T0/0 1." in result.stdout
    assert "cp -a --sparse=always" in result.stdout
    words = [w for w in result.stdout.split() if w.startswith("/")]
    longest = max(map(len, words), default=0)
    assert all(len(line) <= max(80, longest + 40) for line in result.stdout.splitlines())


def test_the_advice_makes_them_equal(diverged: tuple[Path, Path], tmp_path: Path) -> None:
    """What the commands do: the slave's store becomes a copy of the master's."""
    shutil.copytree(diverged[0] / "store", tmp_path / "slave" / "store")
    result = run("store", diverged[0], tmp_path / "slave")
    assert result.returncode == exit_codes.ANALYSED
    assert "slave and master: equal" in result.stdout


def test_json_and_lost_records(diverged: tuple[Path, Path], tmp_path: Path) -> None:
    """For programs; every lost record goes to a file, which must be new."""
    lost = tmp_path / "lost.jsonl"
    result = run("store", *diverged, "--json", "--lost", lost)
    (pair,) = json.loads(result.stdout)["pairs"]
    assert (pair["verdict"], pair["differs_from"]) == ("diverged", 14000)
    (record,) = map(json.loads, lost.read_text().splitlines())
    assert (record["only_on"], record["offset"]) == ("master", 14000)
    assert run("store", *diverged, "--lost", lost).returncode == exit_codes.BAD_INPUT


def test_acknowledged_messages(diverged: tuple[Path, Path], tmp_path: Path) -> None:
    """Ids of the broker and offsets; what a line is not is said."""
    ids = tmp_path / "ids.txt"
    ids.write_text("7F0000010000000200000000000036B0  # a put\n13000\n999999\n")
    result = run("store", *diverged, "--acked", ids)
    assert "both have 1, only the master 1, only the slave 0, neither 1" in result.stdout
    ids.write_text("\nnot an id!\n")
    refused = run("store", *diverged, "--acked", ids)
    assert refused.returncode == exit_codes.BAD_INPUT
    assert "line 2" in refused.stderr


def test_in_the_model(diverged: tuple[Path, Path]) -> None:
    """What does not hold now is told; an example has the ways from there."""
    rules = make_start_rules("4.4.0")
    master, slave = (
        read_stored_broker(name, path, rules)
        for name, path in zip(("master", "slave"), diverged, strict=True)
    )
    state = make_state(ClaimedGroup(), master, slave, compare_logs(master, slave))
    assert state.violated == ("slave_is_prefix_of_master", "equal_offsets_mean_equal_bytes")
    assert not state.is_as_good_as_new
    log, slave_log = state.cluster.master.log, state.cluster.slaves[0].log
    assert (log.ends, slave_log.ends) == ((1, 5, 5), (4, 5, 5))


@pytest.mark.nightly
def test_the_way_to_a_loss(tmp_path: Path) -> None:
    """A slave that is ahead acknowledges what it never receives."""
    folder = unpack("full_file_skipped", tmp_path)
    result = run("store", folder / "master", folder / "slave1", "--explain", "--json")
    (told,) = json.loads(result.stdout)["in_the_model"]
    ways = {way["guarantee"]: way["steps"] for way in told["ways"]}
    assert len(ways["acknowledgement_is_truthful"]) == 7


def test_one_store(tmp_path: Path) -> None:
    """Whether its broker starts."""
    folder = unpack(SINGLE, tmp_path)
    result = run("store", folder / "master")
    assert result.returncode == exit_codes.ANALYSED
    assert "A start finds the log from 0 to 0" in result.stdout
    config = folder / "master" / "store" / "config" / "topics.json"
    for path in (config, config.with_name("topics.json.bak")):
        path.write_text("{")
    damaged = run("store", folder / "master")
    assert damaged.returncode == exit_codes.REFUTED
    assert "no readable backup" in damaged.stdout


def test_nothing_can_be_said(diverged: tuple[Path, Path], tmp_path: Path) -> None:
    """A log whose files cannot be loaded."""
    copy = Path(shutil.copytree(diverged[1], tmp_path / "slave1"))
    (copy / "store" / "commitlog" / "0000000000000000000x").write_bytes(bytes(16384))
    result = run("store", diverged[0], copy)
    assert result.returncode == exit_codes.UNDECIDED
    assert "cannot say" in result.stdout


@pytest.mark.parametrize("path", ["missing", "empty", "file"])
def test_bad_paths(path: str, tmp_path: Path) -> None:
    """One clear line each."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("\\u00zz")
    result = run("store", tmp_path / path)
    assert result.returncode == exit_codes.BAD_INPUT
    assert len(result.stderr.splitlines()) == 1
    assert path in result.stderr


def test_a_store_is_not_compared_with_itself(diverged: tuple[Path, Path]) -> None:
    """Most likely a name was mistyped."""
    result = run("store", diverged[0], diverged[0] / "store")
    assert result.returncode == exit_codes.BAD_INPUT
    assert "named already" in result.stderr


def test_every_finding_has_a_meaning() -> None:
    """And what it names exists."""
    found = load_store_findings()
    assert set(FindingKind) - {FindingKind.EQUAL, FindingKind.CANNOT_SAY} == set(found)
    for finding in found.values():
        assert set(finding.claims) <= set(CLAIMS)
        pages = [history.page for history in finding.histories]
        for address in filter(None, [*pages, finding.recipe_link]):
            name, _, heading = address.partition("#")
            text = (ROOT / name).read_text("utf-8")
            headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
            anchors = {
                h.lower().replace(" ", "-").replace(",", "").replace(":", "") for h in headings
            }
            assert not heading or heading in {a.replace("'", "") for a in anchors}, address


def test_the_chapter_tells_every_difference_of_releases() -> None:
    """No rule of a start is left out."""
    fields = set(StartRules.__annotations__) - {"record_format"}
    assert fields | set(StartRules().record_format.__annotations__) == set(FLAGS)

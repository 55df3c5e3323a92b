"""The other verbs, run as a user runs them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from attrs import astuple

from command_line import bench
from command_line.benchmarks import engines as bench_engines
from properties.schedules.judgement import find_first_violation
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import CLAIMS
from reference.worlds.reading.state import ReadingFaults
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from tests.command_line.run import ROOT, run
from tests.structures import SYNCHRONOUS_PAIR

IDENTIFIER = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/"


@pytest.mark.nightly
def test_prove_rechecks_a_structure() -> None:
    """One line per structure, everything as expected."""
    result = run("prove", "--structure", "SYNC_MASTER/SYNC_FLUSH/1 slave")
    assert 0 == result.returncode
    assert "proved" in result.stdout
    assert "undecided" not in result.stdout


def test_prove_speaks_json() -> None:
    """For programs."""
    result = run("prove", "--structure", "ASYNC_MASTER/ASYNC_FLUSH/0 slaves", "--json")
    verdicts = json.loads(result.stdout)["structures"][0]["verdicts"]
    assert set(CLAIMS) == {v["guarantee"] for v in verdicts}


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_fuzz_then_replay(tmp_path: Path) -> None:
    """A campaign names the command that replays its shortest violation; the replay shows it."""
    folder = tmp_path / "a campaign, über"
    result = run("fuzz", "--schedules", 3000, "--out", folder)
    assert 0 == result.returncode, result.stderr
    assert (folder / "manifest.json").exists()
    line = next(x for x in result.stdout.splitlines() if "slave_is_prefix_of_master" in x)
    words = line.partition("rmqspec ")[2].split()
    replayed = run(*words)
    assert 0 == replayed.returncode
    assert "✗ slave_is_prefix_of_master" in replayed.stdout
    number = words[1].rpartition("/")[2].partition("@")[0]
    same = run("replay", folder, "--schedule", number, *words[2:])
    assert replayed.stdout == same.stdout


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_fuzz_of_a_consumer(tmp_path: Path) -> None:
    """Another world by name: its faults, its guarantees, its identifiers."""
    limits = ["--limits", "consumer_kills=2", "--schedules", 2000]
    counts = ".".join(map(str, astuple(ReadingFaults(consumer_kills=2))))
    structure = ["--structure", "reading/open slow/offset check/last"]
    result = run("fuzz", *structure, *limits, "--out", tmp_path / "kills")
    assert 0 == result.returncode, result.stderr
    assert f"reading-open_slow-offset_check-last/{counts}/64+256/0/" in result.stdout
    assert "no_message_is_consumed_twice: refuted" in result.stdout
    assert "consumed_messages_stay" not in result.stdout


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_fuzz_does_not_contradict_the_proofs(tmp_path: Path) -> None:
    """Kills of the master alone refute just what no fault at all refutes, as proved."""
    options = ["--schedules", 2000, "--limits", "master_kills=2", "--out", tmp_path / "kills"]
    result = run("fuzz", *options)
    assert 0 == result.returncode, result.stderr
    refuted = [x.split(":")[0].strip() for x in result.stdout.splitlines() if "refuted by" in x]
    cells = load_cells(SYNCHRONOUS_PAIR).values()
    assert [c.guarantee for c in cells if c.fault == "none" and c.steps] == refuted


def test_a_consumers_schedule_is_replayed_and_shortened() -> None:
    """Its lanes, its guarantees; fewer steps than the schedule has."""
    identifier = find_violating_schedule("no_message_is_consumed_twice")
    asked = ("replay", identifier, "--guarantee", "no_message_is_consumed_twice")
    lines = run(*asked).stdout.splitlines()
    assert lines[2].split()[:4] == ["step", "consumer", "│", "master"]
    assert lines[-1].strip() == "✗ no_message_is_consumed_twice"
    answer = json.loads(run(*asked, "--json").stdout)
    assert 4 <= len(answer["schedule"]) < 20
    assert answer["violating_steps"]["no_message_is_consumed_twice"] == len(answer["schedule"])


def find_violating_schedule(guarantee: str) -> str:
    """The identifier of a consumer's first schedule that violates a guarantee."""
    options = CampaignOptions(STRUCTURES["reading/open slow/no offset check/last"])
    for number in range(500):
        if find_first_violation(replay_schedule(options, number), guarantee) is not None:
            return options.format_identifier(number)
    raise AssertionError(f"no schedule violates {guarantee}")


def test_replay_speaks_json() -> None:
    """For programs; the schedule is a list of instances and arguments."""
    answer = json.loads(run("replay", IDENTIFIER + "7", "--json").stdout)
    assert answer["identifier"].startswith(IDENTIFIER + "7@")
    assert 64 == len(answer["schedule"])


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_bench_measures_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one run, with spread, versions and machine; a campaign where it is asked for."""
    monkeypatch.setattr(bench, "KERNEL_SCHEDULES", 500)
    monkeypatch.setattr(bench_engines, "STATES", 2000)
    asked = ("bench", "--repeat", 2, "--healing-steps", 20, "--campaign-seconds", 1)
    answer = json.loads(run(*asked, "--json").stdout)
    engines = {
        *("reference", "reference, replaying", "compiled rules", "compiled, replaying"),
        *("kernel", "two kernels at once"),
    }
    assert engines == set(answer["steps_per_second"])
    rates = [*answer["steps_per_second"].values(), answer["states_per_second"]]
    assert all(rate > 0 for measured in rates for rate in measured)
    campaign = answer["campaign"]
    assert campaign["steps"] >= campaign["schedules"] >= 1000
    assert 0 < campaign["first_progress_seconds"] <= campaign["seconds"]


def test_the_bootstrap_works_from_anywhere(tmp_path: Path) -> None:
    """Through a symbolic link, from another folder, without installing anything again."""
    if not (ROOT / ".venv").exists():
        pytest.skip("no environment was made beside this checkout by ./rmqspec")
    link = tmp_path / "link"
    link.symlink_to(ROOT / "rmqspec")
    result = subprocess.run(
        [str(link), "--version"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert 0 == result.returncode, result.stderr
    assert "4.4.0" in result.stdout

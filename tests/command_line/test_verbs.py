"""The other verbs, run as a user runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import attrs
import pytest

from command_line import bench, bench_engines, bench_peers
from properties.claims import CLAIMS
from properties.exports.instances import load_spin_counts
from properties.judgement import find_first_violation
from properties.worlds import STRUCTURES
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_schedule
from tests.command_line.run import ROOT, assert_one_line, run

IDENTIFIER = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/"


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
    structure = ["--structure", "consumer/slave read/offset check"]
    result = run("fuzz", *structure, *limits, "--out", tmp_path / "kills")
    assert 0 == result.returncode, result.stderr
    assert "consumer-slave_read-offset_check/0.0.2.0.0.0.0.0/64/0/" in result.stdout
    assert "no_message_is_consumed_twice: refuted" in result.stdout
    assert "consumed_messages_stay" not in result.stdout


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_fuzz_does_not_contradict_the_proofs(tmp_path: Path) -> None:
    """Kills of the master alone refute nothing but what no fault at all refutes, as proved."""
    options = ["--schedules", 2000, "--limits", "master_kills=2", "--out", tmp_path / "kills"]
    result = run("fuzz", *options)
    assert 0 == result.returncode, result.stderr
    refuted = [x.split(":")[0].strip() for x in result.stdout.splitlines() if "refuted by" in x]
    assert ["message_is_stored_once"] == refuted


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
    options = CampaignOptions(STRUCTURES["consumer/slave read/no offset check"])
    for number in range(100):
        if find_first_violation(replay_schedule(options, number), guarantee) is not None:
            return options.format_identifier(number)
    raise AssertionError(f"no schedule violates {guarantee}")


def test_replay_speaks_json() -> None:
    """For programs; the schedule is a list of instances and arguments."""
    answer = json.loads(run("replay", IDENTIFIER + "7", "--json").stdout)
    assert answer["identifier"].startswith(IDENTIFIER + "7@")
    assert 64 == len(answer["schedule"])


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_bench_measures_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one run, with spread, versions and machine; a campaign where it is asked for."""
    monkeypatch.setattr(bench, "KERNEL_SCHEDULES", 500)
    monkeypatch.setattr(bench_engines, "STATES", 2000)
    asked = ("bench", "--repeat", 2, "--healing-steps", 20, "--campaign-seconds", 1)
    answer = json.loads(run(*asked, "--json").stdout)
    engines = {"reference", "reference, replaying", "kernel", "two kernels at once"}
    assert engines == set(answer["steps_per_second"])
    rates = [*answer["steps_per_second"].values(), answer["states_per_second"]]
    assert all(rate > 0 for measured in rates for rate in measured)
    campaign = answer["campaign"]
    assert campaign["steps"] >= campaign["schedules"] >= 1000
    assert 0 < campaign["first_progress_seconds"] <= campaign["seconds"]


SMALL = "delay/4.4.0, power loss, queue of 3 messages"
LIMITED = "SYNC_MASTER/ASYNC_FLUSH/1 slave, disk errors, log of 4 bytes, 12 steps"


@pytest.mark.parametrize("name", [SMALL, pytest.param(LIMITED, marks=pytest.mark.nightly)])
def test_bench_against_spin(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A row for each engine, with equal numbers of states, those that were recorded."""
    if shutil.which("spin") is None:
        pytest.skip("SPIN is not installed")
    monkeypatch.setattr(bench_peers, "BENCHED", (name,))
    answer = json.loads(run("bench", "--peers", "--json").stdout)
    measures, simulations = answer["peers"], answer["simulations"]
    with_tlc = ["TLC"] if bench_peers.has_tlc() and name == SMALL else []
    assert ["rmqspec", "SPIN", "SPIN -DCOLLAPSE", *with_tlc] == [m["engine"] for m in measures]
    assert bool(simulations) == bench_peers.has_tlc()
    assert all(m["steps_per_second"] > 0 for m in simulations)
    assert {(name, load_spin_counts()[name]["states"])} == {
        (m["instance"], m["states"]) for m in measures
    }
    assert all(m["states_per_second"] > 0 for m in measures)


def test_bench_refuses_different_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compared of engines that count differently."""
    row = bench_peers.PeerMeasure(SMALL, "SPIN", 5, 1.0, 1.0, 0)
    rows = [lambda: row, lambda: attrs.evolve(row, states=6)]
    monkeypatch.setattr(bench_peers, "find_spin", lambda: ("spin", "cc"))
    monkeypatch.setattr(bench_peers, "list_measures", lambda judged: iter(rows))
    message = assert_one_line(run("bench", "--peers"), 70)
    assert "SPIN 5, SPIN 6" in message


def test_table_of_the_bench_has_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """States, states per second, memory in all and for each state."""
    bench_peers.print_peers([bench_peers.PeerMeasure(SMALL, "SPIN", 4000, 2.0, 1.5, 8 << 20)])
    line = capsys.readouterr().out.splitlines()[-1]
    assert ["SPIN", "4,000", "2,000", "2.00", "1.5", "8", "2,097"] == line.split()


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

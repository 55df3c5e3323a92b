"""What fuzz says beyond counts: known ways to fail, classes, and that both can be had later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line.answers.fuzz_findings import print_known
from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import Manifest, create_campaign
from spark_fuzz.report.class_files import CLASSES_FILE
from spark_fuzz.report.known_failures import KnownFailure
from spark_fuzz.report.report_summary import REPORT_FILE, SUMMARY_FILE
from tests.command_line.run import assert_one_line, run


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_swarm_and_its_classes(tmp_path: Path) -> None:
    """A small campaign, and later its classes; each replays with as many steps."""
    asked = ("--structure", "delay/4.4.0", "--swarm", "--steps", 24, "--schedules", 300)
    out = tmp_path / "swarm"
    first = run("fuzz", *asked, "--out", out)
    assert 0 == first.returncode
    assert "a swarm, seed 0, fault limits 2.2.2.2" in first.stdout
    assert " of 16 known ways to fail were met" in first.stdout
    assert not (out / CLASSES_FILE).exists()
    assert f"  report: {out / REPORT_FILE}" in first.stdout
    assert "Classes of violations" not in (out / REPORT_FILE).read_text()
    summary = json.loads((out / SUMMARY_FILE).read_text())
    assert summary["classes"] is None
    later = run("fuzz", "--resume", out, "--classes")
    assert 0 == later.returncode
    classes = json.loads((out / CLASSES_FILE).read_text())
    assert f"  {len(classes)} classes of violations" in later.stdout
    one = classes[-1]
    replayed = run("replay", one["identifier"], "--guarantee", one["guarantee"], "--json").stdout
    assert one["minimal_schedule"] == json.loads(replayed)["schedule"]
    assert one["steps"] == len(one["minimal_schedule"])
    drawn = run("replay", out / one["trace_file"]).stdout
    assert f"✗ {one['guarantee']}\n" in drawn
    assert f"rmqspec replay {out / classes[0]['trace_file']}" in later.stdout
    assert (out / one["test_file"]).exists()
    again = json.loads((out / SUMMARY_FILE).read_text())
    assert {**summary, "classes": len(classes)} == again
    assert one["identifier"] in (out / REPORT_FILE).read_text()


def test_what_was_missed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The shortest ones first, and how many more; nothing where nothing is known."""
    print_known([])
    assert "" == capsys.readouterr().out
    names = frozenset({"kills", "stops"})
    missed = [KnownFailure("g", names, steps) for steps in range(20, 12, -1)]
    print_known([*missed, KnownFailure("h", frozenset(), 3, schedules=1, shortest_steps=4)])
    lines = capsys.readouterr().out.splitlines()
    assert "  1 of 9 known ways to fail were met" == lines[0]
    assert "    not met: g by kills + stops (13 steps)" == lines[1]
    assert "    and 3 more" == lines[-1]


def test_a_resumed_campaign_stays_what_it_is(tmp_path: Path) -> None:
    """A swarm does not go on alike."""
    options = CampaignOptions(STRUCTURES["delay/4.4.0"], is_swarm=True)
    create_campaign(tmp_path / "begun", Manifest(options, 100, 10))
    message = assert_one_line(run("fuzz", "--resume", tmp_path / "begun", "--alike"), 3)
    assert "--alike contradicts" in message

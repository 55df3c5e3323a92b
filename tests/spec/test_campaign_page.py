"""The page on campaigns names every column and every key of the manifest."""

import json
from pathlib import Path

from properties.generated_text import SPEC
from spark_fuzz.campaign.coverage import SITUATIONS_MAX
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import LARGE_UNIT, create_campaign, plan_campaign
from spark_fuzz.kernel.scheduler import DEPTHS
from spark_fuzz.kernel.walk import CLOSE_LOOK
from spark_fuzz.report.class_files import encode_class, number_classes
from spark_fuzz.report.report_summary import CampaignCounts, compute_report_summary

PAGE = SPEC / "campaigns.md"


def read_table(heading: str) -> dict[str, str]:
    """The first two columns of the table below a line that begins so."""
    below = PAGE.read_text().partition("\n" + heading)[2].partition("\n|")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in below.split("\n")]
    return {row[0]: row[1] for row in rows[2:]}


def test_every_key_of_the_manifest_is_explained() -> None:
    """In order."""
    manifest = json.loads(plan_campaign(CampaignOptions(), 10).encode())
    assert list(manifest) == list(read_table("The manifest has:"))


def split_keys(table: dict[str, str]) -> list[str]:
    """The first cells, of which one may name several keys."""
    return [key.strip(" `") for cell in table for key in cell.split(",")]


def test_every_key_of_the_classes_is_explained() -> None:
    """In order."""
    schedule = [["append_message[0]", {"size_bytes": 1, "waits_for_store": 1}]]
    row = {
        "guarantee": "slave_is_prefix_of_master",
        "rules": "append_message",
        "members": 1,
        "lineage": "0",
        "minimal_schedule": json.dumps(schedule),
        "violating_continuations": [0, 1],
        "continuations": 1,
    }
    entry = encode_class(number_classes([row], CampaignOptions())[0])
    assert list(entry) == split_keys(read_table("## Classes"))


def test_every_key_of_the_summary_is_explained(tmp_path: Path) -> None:
    """In order."""
    create_campaign(tmp_path / "new", plan_campaign(CampaignOptions(), 10))
    counts = {
        "schedules": 0,
        "steps": 0,
        "healing_steps": 0,
        "ends": {},
        "violations": {},
        "rules_used": {},
    }
    summary = compute_report_summary(tmp_path / "new", CampaignCounts(counts, [], None), "")
    assert list(summary) == split_keys(read_table("## The report"))


def test_the_numbers_of_samples_are_the_codes() -> None:
    """Continuations, their steps, and for what there is room."""
    text = " ".join(PAGE.read_text().split())
    folder = PAGE.parents[1] / "spark_fuzz"
    constants = (folder / "report" / "violation_classes.py").read_text()
    assert "at random, 300 times, for up to 256 steps" in text
    assert "CONTINUATIONS = 300\n" in constants
    assert "CONTINUATION_STEPS = 256\n" in constants
    assert "1,024 at most" in text
    assert "PARENTS_MAX = 1024\n" in (folder / "campaign" / "guidance.py").read_text()
    assert "every sixteenth schedule" in text
    assert 16 == CLOSE_LOOK
    assert "a unit has room for 131,072" in text
    assert 131_072 == SITUATIONS_MAX
    assert "of each 250,000 schedules of a larger one, one schedule is walked" in text
    assert "SCHEDULES_PER_CHECK = LARGE_UNIT\n" in (folder / "campaign" / "job.py").read_text()
    assert 250_000 == LARGE_UNIT
    assert "about 1, 2, 4 up to 32" in text
    assert 32 == 1 << (DEPTHS - 1)

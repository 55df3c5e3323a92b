"""The page on campaigns names every column and every key of the manifest."""

import json
from pathlib import Path

import pytest

from reference.structure import Structure
from spark_fuzz.campaign_store import plan_campaign
from spark_fuzz.schedule import CampaignOptions

PAGE = Path(__file__).parents[2] / "spec" / "campaigns.md"


def read_table(heading: str) -> dict[str, str]:
    """The first two columns of the table below a line that begins so."""
    below = PAGE.read_text().partition("\n" + heading)[2].partition("\n|")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in below.split("\n")]
    return {row[0]: row[1] for row in rows[2:]}


@pytest.mark.spark
def test_every_column_is_explained() -> None:
    """In order, with its type."""
    from spark_fuzz.campaign import compute_schema  # noqa: PLC0415

    words = {"bigint": "long", "array<string>": "array of string"}
    for field, (name, word) in zip(
        compute_schema(Structure()).fields, read_table("## The rows").items(), strict=True
    ):
        text = field.dataType.simpleString()
        assert (field.name, words.get(text, text.partition("<")[0])) == (name, word)


def test_every_key_of_the_manifest_is_explained() -> None:
    """In order."""
    manifest = json.loads(plan_campaign(CampaignOptions(), 10).encode())
    assert list(manifest) == list(read_table("The manifest has:"))

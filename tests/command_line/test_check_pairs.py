"""What check says of pairs whatever is configured: topics, groups, delayed messages."""

from __future__ import annotations

import json

import pytest

from properties.scenarios.analysis.tables import analyse_tables
from properties.verdicts.analysis import list_differing
from properties.worlds.catalogue import OTHER_WORLDS
from reference.configuration.deployments import sample_group
from reference.releases.versions import parse_version
from tests.command_line.run import run

MASTER_ALONE = "tests/data/conf/2m-noslave/broker-a.properties"


def test_every_cell_is_told() -> None:
    """As JSON, with its schedule; of three structures."""
    answer = json.loads(run("check", "--json").stdout)
    by_name = {s.name: (w, s) for w in OTHER_WORLDS for s in w.structures}
    assert ["topics", "subscription groups", "delayed messages"] == [
        p["title"] for p in answer["pairs"]
    ]
    for pair in answer["pairs"]:
        world, _ = by_name[pair["structure"]]
        told = {(v["guarantee"], v["fault"]): v for v in pair["verdicts"]}
        assert {(g, c.name) for g in world.claims for c in world.fault_models} == set(told)
        for v in told.values():
            assert (v["verdict"] == "refuted") is bool(v["schedule"])
            assert v["reason"]


def test_people_see_what_differs_only() -> None:
    """Groups are told by the cells in which they are not like topics."""
    text = run("check", "--timelines", "0").stdout
    assert "Whatever is configured, topics:" in text
    groups = text.partition("subscription groups:\n")[2].partition("\nWhatever")[0]
    assert "  The same as topics, but for these:\n" in groups
    assert "equal_versions_mean_equal_content, kill: proved." in groups
    assert "answered_entry_stays_on_master, kill: proved." in groups
    topics, others, delayed = analyse_tables(sample_group())
    assert len(groups.strip().splitlines()) == 1 + len(list_differing(topics, others) or ())
    assert list_differing(others, delayed) is None


@pytest.mark.parametrize(
    ("release", "topics", "groups"),
    [
        ("4.4.0", "topics/4.4.0", "groups/4.4.0"),
        ("4.7.0", "topics/4.5.0", "groups/4.5.0"),
        ("5.1.0", "topics/4.7.1", "groups/4.5.0"),
        ("5.3.0", "topics/5.1.1", "groups/4.5.0"),
        ("5.3.1", "topics/5.1.1", "topics/4.7.1"),
        ("5.3.3", "both/5.3.2", ""),
        ("5.4.0", "both/5.3.4", ""),
        ("5.5.1", "both/5.5.0", ""),
    ],
)
def test_tables_are_those_of_the_release(release: str, topics: str, groups: str) -> None:
    """Both at once where a release copies topics and groups alike (spec/tables.md)."""
    *tables, _ = analyse_tables(sample_group(parse_version(release)))
    names = [each.structure.name.removeprefix("tables/") for each in tables]
    assert names == [name for name in (topics, groups) if name]


def test_without_slaves_there_is_nothing_to_copy() -> None:
    """And nothing that could be required."""
    answer = json.loads(run("check", "--json", MASTER_ALONE).stdout)
    assert [] == answer["pairs"]
    assert 2 == run("check", MASTER_ALONE, "--require", "somebody_delivers").returncode


def test_cells_can_be_required() -> None:
    """Proved, disputed, refuted, vacuous, and a column that the world does not have."""
    codes = {
        "answered_entry_stays_on_master:none": 0,
        "answered_entry_stays_on_master:stop": 2,
        "answered_entry_stays_on_master:power loss": 1,
        "change_on_slave_stays:none": 2,
        "somebody_delivers:clock coincidence": 3,
    }
    found = {text: run("check", "--require", text).returncode for text in codes}
    assert codes == found

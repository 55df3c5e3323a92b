"""A campaign's folder: units that cover every schedule once, and are whole or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.schedule import SCHEDULES_MAX, CampaignOptions
from spark_fuzz.campaign.store import (
    DATA_FOLDER,
    MANIFEST,
    ROUNDS_MAX,
    SCHEDULES_PER_UNIT,
    UNITS_MAX,
    CampaignError,
    Manifest,
    create_campaign,
    find_missing_units,
    get_unit_path,
    plan_campaign,
    put_in_place,
    read_manifest,
    remove_leftovers,
)

MANIFEST_OF_TEN = Manifest(CampaignOptions(campaign_seed=3, steps=9), 10, 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of three units, none in place."""
    create_campaign(tmp_path / "ten", MANIFEST_OF_TEN)
    return tmp_path / "ten"


@given(st.integers(1, 500), st.integers(1, 100), st.integers(0, 3))
def test_units_cover_every_schedule_once(schedules: int, size: int, rounds: int) -> None:
    """In order, none is empty, and each is of one round."""
    manifest = Manifest(CampaignOptions(), schedules, size, rounds)
    units = [manifest.get_schedules(unit) for unit in range(manifest.units)]
    assert list(range(manifest.schedules_in_all)) == [n for unit in units for n in unit]
    assert all(units)
    for guided_round in range(1 + rounds):
        own = [n for unit in manifest.get_units(guided_round) for n in units[unit]]
        assert list(range(schedules * guided_round, schedules * (guided_round + 1))) == own
        assert {guided_round} == {manifest.get_round(u) for u in manifest.get_units(guided_round)}


@pytest.mark.parametrize("schedules", [1, SCHEDULES_PER_UNIT, 10**9 + 1, SCHEDULES_MAX])
def test_large_campaigns_have_large_units(schedules: int) -> None:
    """There are never so many that a folder or Spark's driver suffers."""
    manifest = plan_campaign(CampaignOptions(), schedules)
    assert 1 <= manifest.units <= UNITS_MAX
    assert schedules == manifest.get_schedules(manifest.units - 1).stop


@pytest.mark.parametrize("name", ["SYNC_MASTER/SYNC_FLUSH/2 slaves", "delay/4.4.0"])
def test_a_manifest_is_read_back(name: str, tmp_path: Path) -> None:
    """Structure, limits, steps, seed and units, of every world."""
    manifest = Manifest(CampaignOptions(STRUCTURES[name], steps=7, campaign_seed=2**61), 99, 10, 3)
    create_campaign(tmp_path / "new", manifest)
    assert manifest == read_manifest(tmp_path / "new")


def test_a_manifest_says_with_what_it_was_made(folder: Path) -> None:
    """For people: the version of RocketMQ, the options in one identifier, the libraries."""
    content = json.loads((folder / MANIFEST).read_text())
    assert "4.4.0" == content["rocketmq_version"]
    pair = "SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0"
    assert content["first_schedule"].startswith(pair + "/9/3/0@")
    assert {"python", "numpy", "pyarrow", "pyspark"} == set(content["versions"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guided_rounds": ROUNDS_MAX + 1}, "no campaign's manifest"),
        ({"schedules": 0}, "no campaign's manifest"),
        ({"schedules": SCHEDULES_MAX + 1}, "no campaign's manifest"),
        ({"schedules_per_unit": 0}, "no campaign's manifest"),
        ({"schedules_per_unit": None}, "no campaign's manifest"),
        ({"row_format": 1}, "rows have form 1, and this version reads form 2; use the version"),
        ({"first_schedule": 7}, "no campaign's manifest"),
        ({"first_schedule": "nonsense"}, "identifies no schedule"),
        ({"first_schedule": MANIFEST_OF_TEN.options.format_identifier(0)[:-8] + "0" * 8}, "rules"),
    ],
)
def test_a_manifest_that_cannot_be_used(
    folder: Path, change: dict[str, object], message: str
) -> None:
    """Wrong numbers, or a campaign that was begun with other rules: refused in one line."""
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CampaignError, match=message) as problem:
        read_manifest(folder)
    assert "\n" not in str(problem.value)


def test_a_unit_is_in_place_as_a_whole_or_not_at_all(folder: Path) -> None:
    """Nothing is seen of a unit that is being written, nor of one whose writing failed."""
    path = get_unit_path(folder, 1)
    with put_in_place(path) as temporary:
        temporary.write_text("half")
        assert [0, 1, 2] == find_missing_units(folder, MANIFEST_OF_TEN)
    assert [0, 2] == find_missing_units(folder, MANIFEST_OF_TEN)
    with pytest.raises(ZeroDivisionError):
        write_and_fail(get_unit_path(folder, 2))
    assert [path] == list((folder / DATA_FOLDER).iterdir())


def write_and_fail(path: Path) -> None:
    """A worker whose computation fails after some rows."""
    with put_in_place(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError


def test_two_writers_of_one_unit(folder: Path) -> None:
    """They do not disturb each other, not even when the first one removes all leftovers."""
    path = get_unit_path(folder, 0)
    with put_in_place(path) as second:
        second.write_text("rows")
        with put_in_place(path) as first:
            first.write_text("rows")
        remove_leftovers(folder)
    assert "rows" == path.read_text()
    assert [path] == list((folder / DATA_FOLDER).iterdir())


def test_rows_that_vanish_are_no_unit(folder: Path) -> None:
    """A temporary file that is gone though nobody has put the unit in place is a failure."""
    writing = put_in_place(get_unit_path(folder, 0))
    writing.__enter__().write_text("rows")
    remove_leftovers(folder)
    with pytest.raises(FileNotFoundError):
        writing.__exit__(None, None, None)


def test_a_folder_is_begun_once(folder: Path) -> None:
    """And with its manifest, so that whatever exists can be continued."""
    with pytest.raises(CampaignError, match="exists"):
        create_campaign(folder, MANIFEST_OF_TEN)
    assert [folder] == list(folder.parent.iterdir())

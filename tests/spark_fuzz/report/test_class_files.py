"""The files of classes: they say what the classes say, and come back as they went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from properties.exports.itf import decode_itf
from properties.schedules.judgement import is_refuted_by
from properties.worlds.catalogue import STRUCTURES
from reference.language.parameters import BaseParameters
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import CampaignError
from spark_fuzz.report.class_files import (
    CLASSES_FILE,
    ViolationClass,
    number_classes,
    read_classes,
    write_classes,
)

OPTIONS = CampaignOptions(STRUCTURES["delay/4.4.0"], steps=24, campaign_seed=5, is_swarm=True)
SCHEDULE = [
    ["put_delayed_message[0]", {}],
    ["deliver_message[0]", {}],
    ["lose_power[0]", {"kept_queue_max": 0, "is_copy_lost": 1, "is_file_lost": 0}],
]
ROW = {
    "guarantee": "delivered_message_stays",
    "rules": "deliver_message, lose_power, put_delayed_message",
    "members": 4,
    "lineage": "3",
    "minimal_schedule": json.dumps(SCHEDULE),
    "violating_continuations": [0, 1, 0, 10],
    "continuations": 10,
}


@pytest.fixture
def classes() -> list[ViolationClass]:
    """Two of them, under circumstances that allow a loss of power and follow the first message."""
    number = next(n for n in range(100) if is_suitable(OPTIONS.compute_environment(n).parameters))
    return number_classes([{**ROW, "lineage": str(number)}] * 2, OPTIONS)


def is_suitable(parameters: BaseParameters) -> bool:
    """The schedule is possible and violates under these sizes and limits."""
    return parameters.limits.power_losses > 0 == parameters.ghost_followed


def test_files_are_named_by_number_and_guarantee(classes: list[ViolationClass]) -> None:
    """From 01 on, wider where there are more than 99."""
    assert "classes/01-delivered_message_stays.itf.json" == classes[0].trace_file
    assert "classes/test_02_delivered_message_stays.py" == classes[1].test_file
    assert "001-delivered_message_stays" == number_classes([ROW] * 100, OPTIONS)[0].file_stem


def test_classes_come_back(classes: list[ViolationClass], tmp_path: Path) -> None:
    """From classes.json; its entries have the sentences and the steps of inevitability."""
    assert read_classes(tmp_path) is None
    write_classes(tmp_path, classes)
    assert classes == read_classes(tmp_path)
    entry = json.loads((tmp_path / CLASSES_FILE).read_text())[0]
    assert SCHEDULE == entry["minimal_schedule"]
    assert 3 == entry["inevitable_step"] == entry["steps"]
    assert entry["sentences"][0].startswith("Deployment: delay/4.4.0")
    assert "delivered_message_stays does not hold" in entry["sentences"][-1]


def test_every_class_has_a_trace_and_a_test(classes: list[ViolationClass], tmp_path: Path) -> None:
    """Both of the shortened schedule, under the circumstances of the campaign's; nothing else."""
    write_classes(tmp_path, classes)
    for each in classes:
        trace = decode_itf(json.loads((tmp_path / each.trace_file).read_text()))
        assert each.trace == trace
        assert is_refuted_by(each.guarantee, trace.structure, trace.parameters, trace.schedule)
        assert each.identifier in (tmp_path / each.test_file).read_text()
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    named = {name for each in classes for name in (each.trace_file, each.test_file)}
    assert {CLASSES_FILE, *named} == files
    write_classes(tmp_path, [])
    assert [] == read_classes(tmp_path)


@pytest.mark.parametrize("content", ["[", "7", '[{"guarantee": "delivered_message_stays"}]'])
def test_classes_of_another_version_are_refused(content: str, tmp_path: Path) -> None:
    """With the command that makes them anew."""
    (tmp_path / CLASSES_FILE).write_text(content)
    with pytest.raises(CampaignError, match=r"--resume .* --classes"):
        read_classes(tmp_path)

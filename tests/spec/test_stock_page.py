"""The front chapter's table speaks of RocketMQ's own folders, and names the weakest faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.usage.front_page import (
    describe_falls,
    find_weakest,
    is_harmless,
    render_harmless,
)
from brokers.configuration_files import read_deployments
from properties.scenarios.analysis.log import compute_structure
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.structures import STOCK_FOLDERS, STOCK_STRUCTURES

CONFIGURATIONS = Path(__file__).parents[1] / "data" / "conf"


@pytest.mark.parametrize("folder", STOCK_FOLDERS)
def test_folders_are_those_of_rocketmq(folder: str) -> None:
    """Every group that a stock folder configures is of the structure in the table's head."""
    deployments, _ = read_deployments([CONFIGURATIONS / folder])
    groups = [group for deployment in deployments for group in deployment.groups]
    assert groups
    assert {STOCK_FOLDERS[folder]} == {compute_structure(group) for group in groups}


@pytest.mark.parametrize("name", STOCK_STRUCTURES)
def test_weakest_columns_stand_for_all(name: str) -> None:
    """A column is refuted exactly when it admits all of one of the weakest."""
    structure = STRUCTURES[name]
    for claim in structure.world.claims:
        cells = [v for v in load_cells(structure).values() if v.guarantee == claim]
        weakest = [
            structure.world.get_fault_model(fault) for fault in find_weakest(structure, cells)
        ]
        for cell in cells:
            column = structure.world.get_fault_model(cell.fault)
            is_refuted = cell.word is VerdictWord.REFUTED
            assert is_refuted is any(weak.is_contained_in(column) for weak in weakest)


def test_cells_say_what_certificates_say() -> None:
    """Never broken, always broken, not applicable, or broken by what."""
    pair, single = (STOCK_FOLDERS[folder] for folder in ("2m-2s-sync", "2m-noslave"))
    assert "**never broken** (proved)" == describe_falls(pair, "puts_are_answered")
    assert "always broken" == describe_falls(single, "acknowledged_is_held_twice")
    assert "not applicable" == describe_falls(single, "slave_is_prefix_of_master")
    weakest = describe_falls(pair, "acknowledged_is_kept_on_master")
    assert "a disk that is more than 85 % full, master power loss, master disk loss" == weakest
    assert "always broken" == describe_falls(single, "dispatch_reaches_the_end")
    assert "always broken" == describe_falls(pair, "slaves_come_to_hold_everything")


def test_harmless_faults_are_named() -> None:
    """A killed slave takes nothing from a group; a full disk does."""
    assert "slave kill" in render_harmless()
    assert "nearly full disk" not in render_harmless()
    pair = STOCK_FOLDERS["2m-2s-sync"]
    assert is_harmless(FAULT_MODEL_BY_NAME["slave kill"], pair)
    assert not is_harmless(FAULT_MODEL_BY_NAME["nearly full disk"], pair)

"""Schedules written by hand, where no search gets to them in the time of an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import WRITTEN_FILE, decode_schedule, get_world_folder
from properties.verdicts.fault_sets.certificates import WRITTEN_SETS_FILE, is_refutation
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import STOCK_PAIR
from properties.z3.fault_sets import Refutation

SYSTEM = STRUCTURES["system/sync master/async flush/closed/no offset check/first"]
ENTRIES = [
    entry
    for structure in (STOCK_PAIR, SYSTEM)
    for entry in json.loads((get_world_folder(structure) / WRITTEN_FILE).read_text("utf-8"))
]
SETS = json.loads((get_world_folder(SYSTEM) / WRITTEN_SETS_FILE).read_text("utf-8"))


def find_named(name: str) -> ClaimedStructure:
    """The structure of a name, which may be that of a setting of a group without certificates."""
    plain, _, setting = name.partition(" with ")
    structure = STRUCTURES[plain]
    return evolve(structure, variants=(setting, *structure.variants)) if setting else structure


@pytest.mark.parametrize(
    "entry", ENTRIES, ids=lambda e: f"{e['structure']}, {e['claim']}, {e['fault']}"
)
def test_a_schedule_written_by_hand_refutes_what_it_says(entry: Any) -> None:
    """And that in the structure and the column which it names."""
    structure = find_named(entry["structure"])
    fault_model = structure.world.get_fault_model(entry["fault"])
    parameters = structure.world.make_search_parameters(fault_model)
    schedule = decode_schedule(entry["schedule"])
    assert structure.name == entry["structure"]
    assert is_refuted_by(entry["claim"], structure, parameters, schedule)


@pytest.mark.parametrize("entry", SETS, ids=lambda e: f"{e['claim']}, {' and '.join(e['faults'])}")
def test_a_schedule_written_by_hand_needs_the_faults_that_it_names(entry: Any) -> None:
    """And refutes the claim of the structure that it names."""
    refutation = Refutation(frozenset(entry["faults"]), decode_schedule(entry["schedule"]))
    assert entry["structure"] == SYSTEM.name
    assert is_refutation(SYSTEM, entry["claim"], refutation)

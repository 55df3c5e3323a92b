"""Where walks begin: stored schedules as far as they are possible, and no further."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow
from properties.verdicts.certificates import load_schedules
from properties.walks.premises import STARTS_MAX, compute_milestones, load_starts
from properties.worlds.catalogue import STRUCTURES
from properties.z3.vacuity import load_witness_schedules
from reference.language.machine import compute_machine
from tests.structures import SYNCHRONOUS_PAIR

NAMES = (SYNCHRONOUS_PAIR.name, "delay/4.4.0")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", ["none", "every fault"])
def test_each_way_leads_where_it_is_said_to(name: str, fault: str) -> None:
    """To its last state, and not before; nothing strikes that may not."""
    structure: ClaimedStructure = STRUCTURES[name]
    parameters = structure.world.make_search_parameters(structure.world.get_fault_model(fault))
    milestones = compute_milestones(structure)
    starts = load_starts(structure, parameters, milestones)
    assert len(starts.leading_to) >= 5
    for milestone, ways in starts.leading_to.items():
        assert 1 <= len(ways) <= STARTS_MAX
        for way in ways:
            met = [milestones[milestone](s) for _, s in follow(structure, parameters, way)]
            assert met == [False] * len(way) + [True]
    instances = compute_machine(structure).instances
    taken = {action.instance for way in starts.ways for action in way}
    struck = any(instances[name].rule.is_fault for name in taken)
    assert struck is (fault != "none")


def test_what_holds_initially_needs_no_way() -> None:
    """A walk is there already."""
    parameters = SYNCHRONOUS_PAIR.world.make_search_parameters(
        SYNCHRONOUS_PAIR.world.get_fault_model("none")
    )
    starts = load_starts(SYNCHRONOUS_PAIR, parameters, {"always": lambda state: True})
    assert starts.leading_to == {}
    assert starts.ways


def test_nothing_stored_is_no_schedule(tmp_path: Path) -> None:
    """Walks then begin in the initial state."""
    assert () == load_schedules(SYNCHRONOUS_PAIR, tmp_path)
    assert () == load_witness_schedules(SYNCHRONOUS_PAIR, tmp_path)

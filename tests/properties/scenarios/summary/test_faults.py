"""What strikes in a schedule, in words: counted in the reference, and no fewer are known to do."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.scenarios.summary.faults import count_faults, describe_blow
from properties.scenarios.summary.rows import keep_weakest
from properties.scenarios.summary.words import FailureKind, load_words
from properties.schedules.judgement import is_refuted_by
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import load_cells
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import CERTIFIED_GROUPS
from tests.structures import leave_large_to_night, name_of


@pytest.mark.parametrize(
    ("claim", "fault", "words", "kind"),
    [
        (
            "acknowledged_is_kept_on_master",
            "master power loss",
            "one power loss of the master",
            FailureKind.COMMON,
        ),
        (
            "acknowledged_is_kept_on_some_broker",
            "master power loss",
            "2 power losses of the master",
            FailureKind.COMBINED,
        ),
        (
            "acknowledged_is_kept_on_some_broker",
            "power loss of both",
            "power losses of master and slave",
            FailureKind.COMBINED,
        ),
        (
            "equal_offsets_mean_equal_bytes",
            "none",
            "a slave restart mid-message",
            FailureKind.UNFAILED,
        ),
    ],
)
def test_a_schedule_in_words(claim: str, fault: str, words: str, kind: FailureKind) -> None:
    """By what it counts, not by what its fault model is called."""
    blow = describe_blow(STOCK_PAIR, load_cells(STOCK_PAIR)[claim, fault])
    assert (words, kind) == (blow.words, blow.kind)


def test_a_schedule_of_other_sizes_is_named_by_its_fault_model() -> None:
    """Where it cannot be followed nothing is counted."""
    cell = load_cells(STOCK_PAIR)["acknowledged_is_kept_on_master", "master power loss"]
    broken = evolve(cell, schedule=cell.schedule[1:])
    assert {} == count_faults(STOCK_PAIR, broken)
    assert "a power loss of the master" == describe_blow(STOCK_PAIR, broken).words


@pytest.mark.parametrize("structure", leave_large_to_night(CERTIFIED_GROUPS), ids=name_of)
def test_what_takes_several_failures_is_not_known_to_take_one(structure: ClaimedStructure) -> None:
    """No known schedule breaks the claim with each of the failures once: a risk, and no loss."""
    world = structure.world
    for _, cell in keep_weakest((structure, v) for v in load_cells(structure).values()):
        is_one_sort = load_words().fault_models[cell.fault].kind is not FailureKind.COMBINED
        if is_one_sort and describe_blow(structure, cell).kind is FailureKind.COMBINED:
            fault_model = world.get_fault_model(cell.fault)
            once = fault_model.counts(**dict.fromkeys(fault_model.admitted, 1))
            parameters = evolve(world.sizes.search, limits=once)
            assert not any(
                is_refuted_by(cell.guarantee, structure, parameters, schedule)
                for schedule in load_known_schedules()
            )

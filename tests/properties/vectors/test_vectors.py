"""Test vectors: replayed from the data alone, as another implementation would."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.vectors.schedules import make_vectors, write_vectors
from properties.worlds.catalogue import STRUCTURES
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import Action, compute_machine
from tests.structures import SYNCHRONOUS_PAIR, name_of

CONSUMER = STRUCTURES["reading/open slow/offset check/last"]


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_vectors_replay_from_data(structure: ClaimedStructure) -> None:
    """Each valid step leads to the stated leaves; the one forbidden step is refused as stated."""
    machine, known = compute_machine(structure), structure.world.sizes.search
    valid = forbidden = 0
    for vector in make_vectors(structure):
        sizes = dict(vector["parameters"])
        limits = structure.world.everything.counts(**sizes.pop("limits"))
        cluster = structure.make_initial(evolve(known, **sizes, limits=limits))
        state = dict(vector["initial_state"])
        for index, step in enumerate(vector["steps"]):
            outcome = machine.step(cluster, Action(step["rule"], step["arguments"]))
            assert outcome.is_refused == (index == vector["refused_step"])
            if outcome.is_refused:
                assert list(outcome.failed) == vector["failed_conditions"]
                continue
            cluster = outcome.cluster
            state |= step["changes"]
        assert state == {p: v for p, v in flatten(cluster).items() if not is_parameter(p)}
        valid += vector["valid"]
        forbidden += not vector["valid"]
    assert valid >= 50
    assert forbidden >= valid // 2


def test_vectors_of_a_consumer_describe_its_world(tmp_path: Path) -> None:
    """The file is named after world and structure; the structure by its settings."""
    assert {"reading-open_slow-offset_check-last.jsonl"} == set(
        write_vectors([CONSUMER], tmp_path / "vectors")
    )
    vector = next(make_vectors(CONSUMER))
    assert vector["structure"] == {
        "is_master_open": True,
        "is_slave_open": True,
        "broker_id": 0,
        "is_offset_checked_in_slave": True,
        "is_from_first": False,
        "is_orderly": False,
        "is_reset_to_end": False,
        "is_closed_slave_silent": False,
    }
    assert vector["violated_guarantees"] == [vector["name"].partition(" ")[0]]


def test_forbidden_steps_have_one_reason() -> None:
    """A forbidden vector differs from its scenario by one step, for one named condition."""
    vectors = [v for v in make_vectors(SYNCHRONOUS_PAIR) if not v["valid"]]
    assert all(len(v["failed_conditions"]) == 1 for v in vectors)
    assert all(v["refused_step"] == len(v["steps"]) - 1 for v in vectors)
    assert 10 <= len({v["failed_conditions"][0] for v in vectors})


def test_an_existing_folder_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    with pytest.raises(FileExistsError):
        write_vectors([SYNCHRONOUS_PAIR], tmp_path)

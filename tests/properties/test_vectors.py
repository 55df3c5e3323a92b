"""Test vectors: replayed from the data alone, as another implementation would."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.vectors import make_vectors, write_vectors
from reference.leaves import flatten, is_parameter
from reference.machine import Action, compute_machine
from reference.state import initial_cluster
from reference.structure import FaultCounts, Parameters
from tests.structures import SYNCHRONOUS_PAIR


def test_vectors_replay_from_data() -> None:
    """Each valid step leads to the stated leaves; the one forbidden step is refused as stated."""
    machine = compute_machine(SYNCHRONOUS_PAIR)
    valid = forbidden = 0
    for vector in make_vectors(SYNCHRONOUS_PAIR):
        sizes = dict(vector["parameters"])
        limits = FaultCounts(**sizes.pop("limits"))
        cluster = initial_cluster(SYNCHRONOUS_PAIR, Parameters(**sizes, limits=limits))
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

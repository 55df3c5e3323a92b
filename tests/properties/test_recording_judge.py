"""A recording of real brokers contradicts a mistake in a rule that it needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.groups import split_groups
from brokers.recordings.reading import read_recording
from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.recording_judge import (
    explain,
    find_unexplained,
    get_version,
    make_compiled_mistake,
)
from reference.language.compiled import compute_compiled_machine
from reference.language.dependencies import compute_dependencies
from tests.brokers.recordings.shared import TRACES

SHORT = ("b_sync_no_slave.jsonl", "l_wait_store_false.jsonl")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two short recordings."""
    for name in SHORT:
        shutil.copy(TRACES / name, tmp_path)
    return tmp_path


def find(name: str) -> RuleMutant:
    """The mutant of this name."""
    rule = name.partition(":")[0]
    return next(each for each in list_mutants("replication", (rule,)) if each.name == name)


def test_a_recording_is_refused(folder: Path) -> None:
    """A slave that may connect only to a master that is down is not that of the recording."""
    refused = find_unexplained(find("connect_slave: is_master_up, condition negated"), folder)
    assert refused is not None
    assert refused.name == "l_wait_store_false"
    assert refused.seq is not None


def test_a_rule_that_no_recording_needs(folder: Path) -> None:
    """Its mistakes are contradicted by none."""
    name = "wipe_slave: is_slave_down, condition negated"
    mutants = [each for each in list_mutants("replication", ("wipe_slave",)) if each.name == name]
    assert not any(find_unexplained(mutant, folder) for mutant in mutants)


def test_a_mistake_is_made_and_taken_back() -> None:
    """Inside the context only, a recording is refused; behind it all is as it was."""
    recording = read_recording(TRACES / "l_wait_store_false.jsonl")
    (group,) = split_groups(recording)
    structure = make_plan(group, get_version(group)).structure
    machine, dependencies = compute_compiled_machine(structure), compute_dependencies(structure)
    before, instances = dict(dependencies.recorded), dict(machine.instances)
    mutant = find("connect_slave: is_master_up, condition negated")
    with make_compiled_mistake(mutant, recording):
        assert dependencies.recorded["connect_slave[0]"] is not before["connect_slave[0]"]
        assert [each.word for each in explain(recording)] == ["rejected"]
    assert dependencies.recorded == before
    assert machine.instances.keys() == instances.keys()
    assert [each.word for each in explain(recording)] == ["conforms"]

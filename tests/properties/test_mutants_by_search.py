"""Which mutants the search contradicts by a recording stays so."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import attrs
import pytest

from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.search_judge import find_unexplained, make_compiled_mistake, search
from reference.language.compiled import compute_compiled_machine
from reference.language.dependencies import compute_dependencies
from reference.recordings.ahead.plan import make_plan
from reference.recordings.groups import split_groups
from reference.recordings.log.explain import find_version
from reference.recordings.reading import read_recording
from tests.properties.mutants_by_search import TABLE, TRACES, read_planned

HEAD: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = HEAD["mutants"]

SHARE_MIN = 0.8
"""Of the mutants that the plan contradicts, so many the search does too."""


def find(name: str) -> RuleMutant:
    """The mutant of this name."""
    rule = name.partition(":")[0]
    return next(each for each in list_mutants("replication", (rule,)) if each.name == name)


def test_the_file_counts_its_mutants() -> None:
    """By what plan and search say, the plan as in the table of all mutants."""
    planned, counts = read_planned(), Counter[str]()
    for row in ROWS:
        assert row["plan"] == planned[row["name"]]
        found = row["search"]
        word = "none" if not found else "undecided" if found["is_undecided"] else "refused"
        counts[f"plan {'refused' if row['plan'] else 'none'}, search {word}"] += 1
    assert counts == HEAD["counts"]


def test_the_search_contradicts_nearly_what_the_plan_does() -> None:
    """Of the mutants in the sample."""
    planned = [row for row in ROWS if row["plan"]]
    assert sum(row["search"] is not None for row in planned) >= SHARE_MIN * len(planned)


def test_a_mistake_is_made_and_taken_back() -> None:
    """Inside the context only, a recording is refused; behind it all is as it was."""
    recording = read_recording(TRACES / "l_wait_store_false.jsonl")
    (group,) = split_groups(recording)
    structure = make_plan(group, find_version(group)).structure
    machine, dependencies = compute_compiled_machine(structure), compute_dependencies(structure)
    before, instances = dict(dependencies.recorded), dict(machine.instances)
    mutant = find("connect_slave: is_master_up, condition negated")
    with make_compiled_mistake(mutant, recording):
        assert dependencies.recorded["connect_slave[0]"] is not before["connect_slave[0]"]
        assert [each.word for each in search(recording, 3_000)] == ["refused"]
    assert dependencies.recorded == before
    assert machine.instances.keys() == instances.keys()
    assert [each.word for each in search(recording, 3_000)] == ["conforms"]


@pytest.mark.nightly
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_mutants_stay_contradicted(row: dict[str, Any]) -> None:
    """Each mutant once more."""
    found = find_unexplained(find(row["name"]), TRACES)
    assert (attrs.asdict(found) if found else None) == row["search"]
